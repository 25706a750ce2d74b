// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_api.hpp"

#include <cstddef>

namespace ferry::opencl {

class OpenclDevice;

// Calls that return when their command is over, also where the driver's own do not
// (Traits::blocks_too_short).

/// clFinish.
cl_int finish(const OpenclDevice& device, cl_command_queue queue) noexcept;

/// A blocking clEnqueueMapBuffer. Throws Error with the driver's code.
void* map_and_wait(const OpenclDevice& device, cl_command_queue queue, cl_mem mem, cl_map_flags flags,
                   std::size_t offset, std::size_t bytes);

} // namespace ferry::opencl
