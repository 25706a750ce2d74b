// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_api.hpp"

#include <cstddef>

namespace ferry::opencl {

class OpenclDevice;

// Calls that return when their command is over, also where the driver's own return before that
// (Traits::blocks_too_short) or long after it (Traits::finish_waits_on).

/// The call that waited and its result.
struct Finished {
    cl_int code = CL_SUCCESS;
    const char* call = nullptr;
};

/// Waits for the commands that the queue has when it is called.
Finished finish(const OpenclDevice& device, cl_command_queue queue) noexcept;

/// A blocking clEnqueueMapBuffer. Throws Error with the driver's code.
void* map_and_wait(const OpenclDevice& device, cl_command_queue queue, cl_mem mem, cl_map_flags flags,
                   std::size_t offset, std::size_t bytes);

} // namespace ferry::opencl
