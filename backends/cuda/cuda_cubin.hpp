// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ferry::cuda {

/// Resources of the machine code of one kernel.
struct CubinKernel {
    std::uint32_t registers = 0;   ///< For a work-item.
    std::uint32_t stack = 0;       ///< Bytes of a work-item's own memory: indexed arrays, spilled registers.
    std::uint64_t local_bytes = 0; ///< For a group, without the launch's local memory arguments.
    std::uint64_t code_bytes = 0;  ///< 16 for each instruction from sm_70 on, padding included.
};

/// The kernels of an NVIDIA ELF file by their symbols. Unknown or damaged data gives an empty or shorter
/// result.
std::map<std::string, CubinKernel> read_cubin(std::string_view bytes);

} // namespace ferry::cuda
