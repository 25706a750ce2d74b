// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace quality {

/// What the machine code of one kernel takes.
struct Code {
    std::uint32_t registers = 0;
    std::uint32_t stack = 0; ///< bytes of a thread's own memory: arrays that are indexed, spilled registers
    std::uint64_t bytes = 0; ///< of machine code; 16 for each instruction from sm_70 on, padding included
};

/// The kernels of an NVIDIA ELF file. Throws std::runtime_error if it is none.
std::map<std::string, Code> read_cubin(std::string_view bytes);

/// What the text of one kernel in PTX holds.
struct Text {
    std::size_t instructions = 0;
    std::size_t wide_loads = 0; ///< of 128 bits
    std::size_t wide_stores = 0;
};
std::map<std::string, Text> read_ptx(std::string_view text);

} // namespace quality
