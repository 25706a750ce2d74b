// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/kernel.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ferry::hip {

/// The contents of the AMDGPU metadata note of an AMD code object.
struct CodeObject {
    std::string architecture; ///< "gfx90a:sramecc+:xnack-". Empty if it is missing.
    std::vector<KernelInfo> kernels;
};

/// Reads a code object, or the one in a clang offload bundle that fits `architecture` best. Unknown or
/// damaged data gives an empty or shorter result.
CodeObject parse_code_object(std::string_view image, std::string_view architecture = {});

/// Whether code for `built_for` runs on a device of `present`: the same processor, with the same setting of
/// each feature that the code names ("xnack-").
bool runs_on(std::string_view built_for, std::string_view present);

} // namespace ferry::hip
