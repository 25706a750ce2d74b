// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::opencl_c {

/// The private arrays and structs of a kernel.
struct PrivateMemory {
    std::string_view kernel;
    std::uint64_t bytes = 0; ///< For each work-item, with those of called functions, for each call.
    VarId largest = 0;       ///< 0 if there is none.
};

/// For each kernel of a checked text with such variables. Compilers for processors keep all of them on the
/// stack of the thread that runs the work-item: they inline every call, and seldom merge variables.
std::vector<PrivateMemory> private_memory(const Tree& tree);

} // namespace ferry::opencl_c
