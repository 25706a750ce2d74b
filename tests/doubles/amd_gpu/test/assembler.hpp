// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../lanes.hpp"

#include <string>
#include <vector>

namespace amd_gpu {

// The machine code of each instruction, from LLVM's assembler for PROCESSOR (gfx90a). Fails the test for a
// text that it refuses.
std::vector<std::vector<u32>> assemble(const std::vector<std::string>& texts, const std::string& processor);

// The text of each instruction, from LLVM's disassembler; empty for one that PROCESSOR does not have.
std::vector<std::string> disassemble(const std::vector<std::vector<u32>>& code, const std::string& processor);

} // namespace amd_gpu
