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
    /// Up on the queue's own stream, and the wait for it, asking: what comes behind is ordered after it,
    /// which CUDA does not promise of its blocking call. Empty where the vendor has only one way.
    std::function<void(const void* from, std::size_t bytes)> up_in_order;
};

/// Throws std::runtime_error if the vendor's library cannot be used beside Ferry.
RawCopies raw_copies(const ferry::Queue& queue, const ferry::Buffer<std::byte>& buffer);

} // namespace bench
