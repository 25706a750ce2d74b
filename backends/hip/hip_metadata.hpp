// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/kernel.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ferry::hip {

/// What an AMD code object says of itself in its AMDGPU metadata note.
struct CodeObject {
    std::string architecture; ///< "gfx90a:sramecc+:xnack-"; empty if it does not say
    std::vector<KernelInfo> kernels;
};

/// Reads a code object, or the one in a clang offload bundle that suits `architecture` best. Anything it
/// does not understand, damaged bytes included, gives an empty or shorter result.
CodeObject parse_code_object(std::string_view image, std::string_view architecture = {});

/// Whether code for `built_for` runs on a device of `present`: the same processor, and each feature that the
/// code names ("xnack-") as the device has it.
bool runs_on(std::string_view built_for, std::string_view present);

} // namespace ferry::hip
