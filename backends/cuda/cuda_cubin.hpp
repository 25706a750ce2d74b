// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ferry::cuda {

/// What the machine code of one kernel takes.
struct CubinKernel {
    std::uint32_t registers = 0;   ///< of a work-item
    std::uint32_t stack = 0;       ///< bytes of a work-item's own memory: indexed arrays, spilled registers
    std::uint64_t local_bytes = 0; ///< of a group, without what a launch gives
    std::uint64_t code_bytes = 0;  ///< 16 for each instruction from sm_70 on, padding included
};

/// The kernels of an NVIDIA ELF file by their symbols. What it does not understand, damaged bytes included,
/// gives an empty or shorter result.
std::map<std::string, CubinKernel> read_cubin(std::string_view bytes);

} // namespace ferry::cuda
