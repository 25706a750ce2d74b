// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_api.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::opencl {

/// A compiler's note on one parameter of a kernel (-cl-kernel-arg-info).
struct ParameterNote {
    cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    bool is_const = false;
    std::string type; ///< "float*".
    std::string name;
};

/// By kernel, in the order of the parameters.
using KernelNotes = std::map<std::string, std::vector<ParameterNote>, std::less<>>;

/// The notes in the metadata section of PTX from NVIDIA's compiler. Omits everything that it cannot read.
KernelNotes read_ptx_notes(std::string_view ptx);

} // namespace ferry::opencl
