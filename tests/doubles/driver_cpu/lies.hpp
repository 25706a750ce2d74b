// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

#include <string_view>
#include <vector>

namespace ferry_double {

/// FERRY_DOUBLE_LIE: the promise of the attributes that the device breaks.
enum class Lie {
    none,
    registered, ///< kernels work on a copy of registered memory that was made at registration
    coherence,  ///< a kernel has a cache for small host memory, see KernelCache
    atomics,    ///< an atomic operation of a kernel loses simultaneous changes by the host
    moves,      ///< a kernel's use of large host memory takes as long as a copy would
    stale,      ///< a kernel's writes to small host memory appear when the next kernel begins
    address,    ///< kernels see host memory at another address, see Views
    uncached,   ///< the host's reads of large memory are slow, see SlowPages
    far,        ///< kernels of many work-items are slow on host memory
};
Lie lie();

/// Delays a kernel that has host memory among its arguments, under moves and far.
void hinder(const void* argument, unsigned long long threads);

/// Whether FERRY_DOUBLE_WRONG names this kernel or copying function. One bit of its result is then wrong. A
/// number after a colon limits it to copies of more bytes.
bool is_wrong(std::string_view name, std::size_t bytes = 0);
void spoil(void* byte);

/// A separate cache for a kernel's accesses to host memory of up to `largest` bytes. The kernel does not see
/// the host's stores while it runs. The host sees the kernel's stores after it has ended.
class KernelCache {
public:
    /// The size is limited, because real caches hide nothing from a measurement of megabytes.
    explicit KernelCache(std::size_t most = 16 << 10) : largest(most) {}

    /// The address that the kernel uses instead. It is the same address for other memory.
    void* use(void* address);
    /// Called at the kernel's end or later. Memory that no longer exists is skipped.
    void write_back();

    const std::size_t largest; ///< bytes

private:
    struct Line {
        std::byte* memory;
        std::vector<std::byte> before, now;
    };
    std::vector<Line> lines_;
};

/// Under stale: writes back the last kernel's stores now.
void catch_up();
/// Keeps this kernel's stores until the next catch_up().
void put_aside(KernelCache cache);

} // namespace ferry_double
