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

/// Figures of a device's pool, at present and since the process began. They exclude memory that Ferry did not
/// allocate (adopted, borrowed).
struct PoolUse {
    std::uint64_t used = 0;          ///< Bytes requested by living buffers.
    std::uint64_t reserved = 0;      ///< Bytes allocated from the driver. Bytes that are not used are kept
                                     ///< for later, or are rounding.
    std::uint64_t used_peak = 0;     ///< Maximum of `used` so far.
    std::uint64_t reserved_peak = 0; ///< Maximum of `reserved` so far.
    std::uint64_t buffers = 0;       ///< Living buffers.
    std::uint64_t allocations = 0;   ///< Buffers created so far.
    std::uint64_t driver_allocations = 0; ///< Driver allocations made for them.
    /// How often a queue had to wait for commands of another queue on the memory of a destroyed buffer.
    /// Commands of the same queue never wait. docs/design/pools.md describes when commands of two queues do.
    std::uint64_t waits = 0;
};

/// The pool that provides the memory of a device's buffers. It keeps the memory of a destroyed buffer for
/// later buffers. A handle from Device::pool() that is cheap to copy and never dangles. Thread-safe.
///
/// Reuse of memory never affects a queue that still uses it. Later commands of the same queue run after its
/// earlier ones, other queues wait, and host and shared memory is reused only when no command uses it.
/// FERRY_POOL=off or Settings::pool turns pools off. FERRY_MEMORY_DEBUG detects invalid accesses.
class FERRY_API Pool {
public:
    /// False if every buffer has its own driver allocation.
    bool enabled() const;
    PoolUse use() const; ///< The figures of all memory kinds together. The peaks are those of the sums.
    PoolUse use(MemoryKind kind) const;

    /// Returns unused memory to the driver until at most `keep` bytes are reserved, or nothing unused is
    /// left. Memory is unused if no buffer has it and no command uses it any more. Only whole driver
    /// allocations can be returned. Returns the number of bytes. Blocking: drivers wait for the whole device
    /// when they free memory. Trimming is automatic when memory runs out.
    std::uint64_t trim(std::uint64_t keep = 0, SourceLocation where = SourceLocation::current());

    /// Sets the maximum number of reserved bytes, all memory kinds together. Default: the largest number, so
    /// only the device limits the pool. A buffer that exceeds the limit throws Error (out_of_memory) after
    /// all unused memory has been returned to the driver. Does not release memory that is already reserved.
    void set_limit(std::uint64_t bytes);
    std::uint64_t limit() const;

    /// With FERRY_MEMORY_DEBUG: checks the guard bytes of all living buffers and the fill pattern of
    /// destroyed buffers now. Returns one sentence for each buffer and each kind of fault that was not
    /// reported before: the first byte written after the buffer, before it, or after its destruction. Without
    /// FERRY_MEMORY_DEBUG: returns nothing. Blocking: waits for the device.
    std::vector<std::string> check(SourceLocation where = SourceLocation::current());

    /// For use by the library only.
    explicit Pool(detail::DeviceState& state) noexcept : state_(&state) {}

private:
    detail::DeviceState* state_;
};

} // namespace ferry
