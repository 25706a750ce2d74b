// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../opencl_12/real.hpp"

#include <CL/cl_ext.h>

#include <optional>
#include <string>

// FERRY_DOUBLE_OPENCL_ANSWERS: what every device and platform answers in place of the truth.
namespace machine {

/// A number, if it is among them.
std::optional<cl_ulong> number(cl_device_info what, std::size_t& bytes);
std::optional<std::string> device_text(cl_device_info what);
std::optional<std::string> platform_text(cl_platform_info what);

/// It says that it is a GPU.
bool is_gpu();
/// It says that it allocates memory of cl_intel_unified_shared_memory.
bool has_usm();
/// An Intel GPU on the host's memory.
bool leaves_pages_in_place();
/// FERRY_DOUBLE_LIE=shadow: a processor that copies memory of the program's when it is mapped, and says
/// nothing.
bool copies_in_secret();

} // namespace machine
