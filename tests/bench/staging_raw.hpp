// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace bench {

/// The vendor's own blocking copy of ordinary memory to and from a Ferry buffer's memory.
struct RawCopies {
    std::string name; ///< of the calls
    std::function<void(const void* from, std::size_t bytes)> up;
    std::function<void(void* to, std::size_t bytes)> down;
};

/// Throws std::runtime_error if the vendor's library cannot be used beside Ferry.
RawCopies raw_copies(const ferry::Queue& queue, const ferry::Buffer<std::byte>& buffer);

} // namespace bench
