// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/memory.hpp>
#include <ferry/source_location.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ferry {

namespace detail {
class DeviceState;
}

/// What a device's pool has and had, since the process began. Memory that Ferry did not allocate (adopted,
/// borrowed) is not in it.
struct PoolUse {
    std::uint64_t used = 0;          ///< bytes that living buffers asked for
    std::uint64_t reserved = 0;      ///< bytes taken from the driver; what is not used is kept, or rounding
    std::uint64_t used_peak = 0;     ///< the most bytes used at a time
    std::uint64_t reserved_peak = 0; ///< the most bytes reserved at a time
    std::uint64_t buffers = 0;       ///< living buffers
    std::uint64_t allocations = 0;   ///< buffers made so far
    std::uint64_t driver_allocations = 0; ///< allocations made of the driver for them
    /// How often a queue had to wait for another queue's commands on the memory of a destroyed buffer.
    /// Commands of one queue never do; see docs/design/pools.md for when those of two queues do.
    std::uint64_t waits = 0;
};

/// The pool that a device's buffers come from: memory of a destroyed buffer is kept for the next one. A small
/// handle that is cheap to copy and never dangles, from Device::pool(). Thread-safe.
///
/// Memory is never given to a buffer in a way that a queue still using it could notice: a queue's own later
/// commands come after its earlier ones anyway, another queue's wait, and host and shared memory waits until
/// no command uses it. FERRY_POOL=off or Settings::pool turns pools off; FERRY_MEMORY_DEBUG finds faults.
class FERRY_API Pool {
public:
    /// False if every buffer has a driver allocation of its own.
    bool enabled() const;
    PoolUse use() const; ///< all kinds together; the peaks are those of the sums
    PoolUse use(MemoryKind kind) const;

    /// Gives memory that no buffer has, and no command uses any more, back to the driver until at most `keep`
    /// bytes are reserved or nothing idle is left. Returns the bytes given back. Blocking: drivers wait for
    /// the whole device to free memory. Only driver allocations that are idle as a whole can go. It happens
    /// by itself when memory runs out.
    std::uint64_t trim(std::uint64_t keep = 0, SourceLocation where = SourceLocation::current());

    /// The most bytes that may be reserved, all kinds together. A buffer that would need more throws Error
    /// (out_of_memory) after all that is idle has been given back. Does not take back what is reserved
    /// already. The default is the largest number: no limit but the device's.
    void set_limit(std::uint64_t bytes);
    std::uint64_t limit() const;

    /// With FERRY_MEMORY_DEBUG: looks at the guard bytes of all living buffers and at the poison of destroyed
    /// ones now, and returns a sentence for each buffer and kind of fault that has not been told before: the
    /// first byte written behind it, before it, or after its end. Without it: nothing. Blocking: waits for
    /// the device.
    std::vector<std::string> check(SourceLocation where = SourceLocation::current());

    /// For the library itself.
    explicit Pool(detail::DeviceState& state) noexcept : state_(&state) {}

private:
    detail::DeviceState* state_;
};

} // namespace ferry
