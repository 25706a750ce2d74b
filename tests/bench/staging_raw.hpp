// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace bench {

/// The vendor's own blocking copy of ordinary memory to and from a Ferry buffer's memory.
struct RawCopies {
    std::string name; ///< the names of the calls
    std::function<void(const void* from, std::size_t bytes)> up;
    std::function<void(void* to, std::size_t bytes)> down;
    /// A copy up on the queue's own stream, with a polling wait. Later commands are ordered after it, which
    /// CUDA does not promise for its blocking call. Empty if the vendor has only one way.
    std::function<void(const void* from, std::size_t bytes)> up_in_order;
};

/// Throws std::runtime_error if the vendor's library cannot be used together with Ferry.
RawCopies raw_copies(const ferry::Queue& queue, const ferry::Buffer<std::byte>& buffer);

} // namespace bench
