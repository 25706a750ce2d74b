// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_commands.hpp"

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

/// Whether the queue's commands at that time are over: the wait went well, or an event or the driver says
/// that they failed. If not, the driver refused the wait, and they may still run.
bool proves_done(const Finished& finished) noexcept;

/// Blocks until the queue's commands are over, by whichever of the driver's calls works. False: none does.
bool prove_done(const OpenclDevice& device, cl_command_queue queue) noexcept;

/// Waits for the commands that the queue has when it is called.
Finished finish(const OpenclDevice& device, cl_command_queue queue) noexcept;

/// A blocking clEnqueueMapBuffer. Throws Error with the driver's code.
void* map_and_wait(const OpenclDevice& device, Commands& commands, cl_mem mem, cl_map_flags flags,
                   std::size_t offset, std::size_t bytes);

} // namespace ferry::opencl
