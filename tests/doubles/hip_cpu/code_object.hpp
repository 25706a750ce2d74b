// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../driver_cpu/compiler.hpp"

namespace ferry_double {

/// An ELF file for AMDGPU as AMD's hipRTC makes it (machine, flags, the metadata note with the kernels'
/// arguments). It contains the host's shared object instead of GPU code.
std::vector<char> make_code_object(std::string_view architecture,
                                   const std::vector<KernelDescription>& kernels,
                                   std::string_view shared_object);

/// Nothing if the bytes are not an ELF file for AMDGPU; see CompilerFacts::read_object.
std::optional<CodeObject> read_code_object(const void* image);

} // namespace ferry_double
