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
};
Lie lie();

/// FERRY_DOUBLE_WRONG: whether it names this kernel or copying function, whose result has then one bit wrong.
bool is_wrong(std::string_view name);
void spoil(void* byte);

/// What a kernel does to memory of the host's of up to `largest` bytes happens in a cache of its own: it sees
/// nothing that the host stores while it runs, and the host sees what it stored when it has ended.
class KernelCache {
public:
    static constexpr std::size_t largest = 16 << 10; // as hardware hides nothing from who measures megabytes

    /// What the kernel uses in place of that address: itself, if it is not in such memory.
    void* use(void* address);
    /// At the kernel's end.
    void write_back();

private:
    struct Line {
        std::byte* memory;
        std::vector<std::byte> before, now;
    };
    std::vector<Line> lines_;
};

} // namespace ferry_double
