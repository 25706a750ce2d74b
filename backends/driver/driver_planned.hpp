// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_helpers.hpp"
#include "staging/host_copies.hpp"

#include <cstddef>
#include <vector>

namespace ferry::driver {

/// The copies of a batch that go by launches, and what host memory has to do with them. All have their places
/// before the first is launched, so that the copy threads gather the sources of all.
template <class V>
struct Planned {
    using Copy = typename Helpers<V>::Copy;

    struct Entry {
        Copy copy;
        std::size_t sources; ///< so many of the first have to be there before it is launched
    };
    /// A part of Capture that is full: to be recorded behind so many copies.
    struct Left {
        std::size_t part;
        std::size_t copies;
    };

    void add(const Copy& copy) { copies.push_back({copy, sources.size()}); }
    void leave(std::size_t part) { left.push_back({part, copies.size()}); }
    void clear() noexcept {
        copies.clear();
        sources.clear();
        arrivals.clear();
        left.clear();
    }

    // They keep their room, so that a batch allocates nothing once they have grown.
    std::vector<Entry> copies;
    std::vector<detail::staging::HostCopy> sources;  ///< into Capture, before the launch
    std::vector<detail::staging::HostCopy> arrivals; ///< out of it, once the stream is past it
    std::vector<Left> left;
};

} // namespace ferry::driver
