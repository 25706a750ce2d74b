// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

#include <string_view>
#include <vector>

namespace ferry_double {

/// FERRY_DOUBLE_LIE: what is not so, whatever the attributes promise.
enum class Lie {
    none,
    registered, ///< kernels work on a copy of registered memory that was made when it was registered
    coherence,  ///< a kernel has a cache for small memory of the host's, see KernelCache
    atomics,    ///< an atomic operation of a kernel loses what the host does meanwhile
    moves,      ///< a kernel's use of large memory of the host's takes as long as copying it would
    stale,      ///< what a kernel wrote to small memory of the host's is there when the next kernel begins
    address,    ///< kernels have memory of the host's at another address, see Views
    uncached,   ///< the host's reads of large memory are slow, see SlowPages
    far,        ///< kernels of many work-items are slow on memory of the host's
};
Lie lie();

/// What a kernel that is about to run waits for because of memory of the host's among its arguments, under
/// moves and far.
void hinder(const void* argument, unsigned long long threads);

/// FERRY_DOUBLE_WRONG: whether it names this kernel or copying function, whose result has then one bit wrong;
/// with a number behind a colon, only a copy of more bytes.
bool is_wrong(std::string_view name, std::size_t bytes = 0);
void spoil(void* byte);

/// What a kernel does to memory of the host's of up to `largest` bytes happens in a cache of its own: it sees
/// nothing that the host stores while it runs, and the host sees what it stored when it has ended.
class KernelCache {
public:
    /// As hardware hides nothing from who measures megabytes.
    explicit KernelCache(std::size_t most = 16 << 10) : largest(most) {}

    /// What the kernel uses in place of that address: itself, if it is not in such memory.
    void* use(void* address);
    /// At the kernel's end, or later: what is gone by then gets nothing.
    void write_back();

    const std::size_t largest; ///< bytes

private:
    struct Line {
        std::byte* memory;
        std::vector<std::byte> before, now;
    };
    std::vector<Line> lines_;
};

/// Under stale: what the last kernel wrote is written back now.
void catch_up();
/// What this kernel wrote is written back at the next catch_up().
void put_aside(KernelCache cache);

} // namespace ferry_double
