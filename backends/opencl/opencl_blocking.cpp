// SPDX-License-Identifier: Apache-2.0
#include "opencl_blocking.hpp"

#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_event.hpp"
#include "system/pause.hpp"

#include <chrono>
#include <exception>
#include <memory>

namespace ferry::opencl {

namespace {

/// Waits for the commands that are now in the queue. The name of the call is null if no marker could be
/// enqueued.
Finished wait_for_marker(const Api& api, cl_command_queue queue) noexcept {
    cl_event marker = nullptr;
    if (Commands::mark(api, queue, &marker) != CL_SUCCESS) {
        return {};
    }
    Finished flushed{api.clFlush(queue), "clFlush"};
    Finished waited{api.clWaitForEvents(1, &marker), "clWaitForEvents"};
    cl_int status = CL_COMPLETE;
    if (waited.code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
        api.clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) ==
            CL_SUCCESS &&
        status < 0) {
        waited = {status, status_call};
    }
    static_cast<void>(api.clReleaseEvent(marker));
    return flushed.code != CL_SUCCESS ? flushed : waited;
}

/// Waits for an event by polling its status. Returns false if the driver does not report it.
bool reaches_end(const Api& api, cl_event event) noexcept {
    try {
        for (detail::Backoff backoff; status_of(api, event) > CL_COMPLETE;) {
            backoff.pause();
        }
        return true;
    } catch (const std::exception&) { // also if there is no memory for the message
        return false;
    }
}

} // namespace

bool proves_done(const Finished& finished) noexcept {
    return finished.code == CL_SUCCESS || finished.code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ||
           finished.call == status_call || portable_code(finished.code) == Code::device_lost;
}

bool prove_done(const OpenclDevice& device, cl_command_queue queue) noexcept {
    const Api& api = device.api();
    if (proves_done(finish(device, queue)) || proves_done({api.clFinish(queue), "clFinish"})) {
        return true;
    }
    cl_event marker = nullptr;
    if (Commands::mark(api, queue, &marker) != CL_SUCCESS) {
        return false;
    }
    static_cast<void>(api.clFlush(queue)); // The wait reports the error.
    const bool done =
        proves_done({api.clWaitForEvents(1, &marker), "clWaitForEvents"}) || reaches_end(api, marker);
    static_cast<void>(api.clReleaseEvent(marker));
    return done;
}

Finished finish(const OpenclDevice& device, cl_command_queue queue) noexcept {
    const Traits& traits = device.traits();
    Finished waited;
    if (traits.blocks_too_short || traits.finish_waits_on) {
        waited = wait_for_marker(device.api(), queue);
        if (traits.finish_waits_on && waited.call != nullptr) {
            return waited;
        }
    }
    const Finished finished{device.api().clFinish(queue), "clFinish"};
    return waited.code != CL_SUCCESS ? waited : finished;
}

void* map_and_wait(const OpenclDevice& device, Commands& commands, cl_mem mem, cl_map_flags flags,
                   std::size_t offset, std::size_t bytes) {
    const Api& api = device.api();
    const bool waits = device.traits().blocks_too_short || device.traits().finish_waits_on;
    cl_int code = CL_SUCCESS;
    cl_event mapped = nullptr;
    void* const pointer = commands.submit(api.clEnqueueMapBuffer, mem, waits ? CL_FALSE : CL_TRUE, flags,
                                          offset, bytes, 0, nullptr, waits ? &mapped : nullptr, &code);
    made(pointer, code, "clEnqueueMapBuffer");
    if (waits) {
        const auto release = [&api](cl_event event) { static_cast<void>(api.clReleaseEvent(event)); };
        const std::unique_ptr<std::remove_pointer_t<cl_event>, decltype(release)> kept(mapped, release);
        wait_for(api, mapped);
    }
    return pointer;
}

} // namespace ferry::opencl
