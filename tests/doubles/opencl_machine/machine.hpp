// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../opencl_12/real.hpp"

#include <CL/cl_ext.h>

#include <optional>
#include <string>

// FERRY_DOUBLE_OPENCL_ANSWERS: values that every device and platform report instead of the real ones.
namespace machine {

/// A number, if the list has it.
std::optional<cl_ulong> number(cl_device_info what, std::size_t& bytes);
std::optional<std::string> device_text(cl_device_info what);
std::optional<std::string> platform_text(cl_platform_info what);

/// Whether it reports a GPU.
bool is_gpu();
/// Whether it reports memory of cl_intel_unified_shared_memory.
bool has_usm();
/// Whether it is an Intel GPU on the host's memory.
bool leaves_pages_in_place();
/// FERRY_DOUBLE_LIE=shadow: a processor that silently copies the program's memory when it is mapped.
bool copies_in_secret();

} // namespace machine
