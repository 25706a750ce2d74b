// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_commands.hpp"

#include <cstddef>

namespace ferry::opencl {

class OpenclDevice;

// Calls that return when their command is done, also on drivers whose calls return earlier
// (Traits::blocks_too_short) or much later (Traits::finish_waits_on).

/// The waiting call and its result.
struct Finished {
    cl_int code = CL_SUCCESS;
    const char* call = nullptr;
};

/// Whether the queue's commands at that time are done: the wait succeeded, or an event or the driver reports
/// that they failed. If not, the driver rejected the wait, and they may still run.
bool proves_done(const Finished& finished) noexcept;

/// Blocks until the queue's commands are done, by any driver call that works. Returns false if none does.
bool prove_done(const OpenclDevice& device, cl_command_queue queue) noexcept;

/// Waits for the commands that the queue has at the time of the call.
Finished finish(const OpenclDevice& device, cl_command_queue queue) noexcept;

/// A blocking clEnqueueMapBuffer. Throws Error with the driver's code.
void* map_and_wait(const OpenclDevice& device, Commands& commands, cl_mem mem, cl_map_flags flags,
                   std::size_t offset, std::size_t bytes);

} // namespace ferry::opencl
