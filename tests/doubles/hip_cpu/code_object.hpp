// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry_double {

/// What the metadata of a code object says of one kernel.
struct KernelDescription {
    struct Argument {
        unsigned int size, alignment;
        bool is_pointer;
    };
    std::string name;
    std::vector<Argument> arguments;
};

/// An ELF file for AMDGPU as AMD's hipRTC makes it (machine, flags, the metadata note with the kernels'
/// arguments), with the host's shared object in place of GPU code.
std::vector<char> make_code_object(std::string_view architecture,
                                   const std::vector<KernelDescription>& kernels,
                                   std::string_view shared_object);

struct CodeObject {
    std::string architecture;
    std::string shared_object; ///< empty: an AMDGPU file, but not of this double
};

/// Nothing if the bytes are no ELF file for AMDGPU, or a damaged one of this double. Their number is not
/// known: HIP's module functions take a pointer. Reading past the end of what is mapped is safe.
std::optional<CodeObject> read_code_object(const void* image);

} // namespace ferry_double
