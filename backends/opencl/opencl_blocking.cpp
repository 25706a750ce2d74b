// SPDX-License-Identifier: Apache-2.0
#include "opencl_blocking.hpp"

#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_event.hpp"

#include <memory>

namespace ferry::opencl {

cl_int finish(const OpenclDevice& device, cl_command_queue queue) noexcept {
    const Api& api = device.api();
    cl_int status = CL_SUCCESS;
    if (device.traits().blocks_too_short) {
        cl_event marker = nullptr;
        if (api.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &marker) == CL_SUCCESS) {
            status = api.clFlush(queue);
            const cl_int waited = api.clWaitForEvents(1, &marker);
            status = status != CL_SUCCESS ? status : waited;
            api.clReleaseEvent(marker);
        }
    }
    const cl_int finished = api.clFinish(queue);
    return status != CL_SUCCESS ? status : finished;
}

void* map_and_wait(const OpenclDevice& device, cl_command_queue queue, cl_mem mem, cl_map_flags flags,
                   std::size_t offset, std::size_t bytes) {
    const Api& api = device.api();
    const bool waits = device.traits().blocks_too_short;
    cl_int code = CL_SUCCESS;
    cl_event mapped = nullptr;
    void* const pointer = api.clEnqueueMapBuffer(queue, mem, waits ? CL_FALSE : CL_TRUE, flags, offset, bytes,
                                                 0, nullptr, waits ? &mapped : nullptr, &code);
    made(pointer, code, "clEnqueueMapBuffer");
    if (waits) {
        const auto release = [&api](cl_event event) { api.clReleaseEvent(event); };
        const std::unique_ptr<std::remove_pointer_t<cl_event>, decltype(release)> kept(mapped, release);
        wait_for(api, mapped);
    }
    return pointer;
}

} // namespace ferry::opencl
