// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_copies.hpp"
#include "driver/driver_helpers.hpp"

#include <cstddef>
#include <vector>

namespace ferry::driver {

/// The copies of a batch that are performed by launches, and their transfers from and to host memory. All
/// have their places before the first launch, so that the copy threads gather the sources of all.
template <class V>
struct Planned {
    using Copy = typename Helpers<V>::Copy;

    struct Entry {
        Copy copy;
        std::size_t sources; ///< The number of leading sources that must be gathered before its launch.
    };
    /// A full part of Capture, to be recorded after this number of copies.
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

    // They keep their capacity, so that a batch allocates nothing once they have grown.
    std::vector<Entry> copies;
    std::vector<detail::staging::HostCopy> sources;  ///< Into Capture, before the launch.
    std::vector<detail::staging::HostCopy> arrivals; ///< Out of it, once the stream has passed it.
    std::vector<Left> left;
};

} // namespace ferry::driver
