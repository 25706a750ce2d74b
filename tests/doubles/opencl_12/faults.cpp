// SPDX-License-Identifier: Apache-2.0
// Launches that fail when they are executed. The call succeeds, and later calls report the failure. An event
// recorded after the launch gets a negative status, and commands that wait for that event fail too. clFinish
// reports the failure once; then the queue works again.
#include "faults.hpp"

#include "../ferry_double.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Faults {
    std::mutex mutex;
    std::string kernel; // empty: no kernel fails
    cl_int code = CL_SUCCESS;
    std::map<cl_command_queue, cl_int> queues; // queues with an unreported failure
    std::map<cl_event, cl_int> events;
    std::map<cl_command_queue, cl_event> last; // for a failed queue: its last event

    void recorded(cl_command_queue queue, const cl_event* event) {
        if (event == nullptr) {
            return;
        }
        if (const auto failed = queues.find(queue); failed != queues.end()) {
            events[*event] = failed->second;
            last[queue] = *event;
        } else {
            events.erase(*event); // an earlier event had the same handle
        }
    }
    bool any_failed(cl_uint count, const cl_event* list) const {
        return std::any_of(list, list + count, [this](cl_event event) { return events.contains(event); });
    }
};

Faults& faults() {
    static Faults& all = *new Faults; // never destroyed, because calls may come while the process ends
    return all;
}

std::string name_of(cl_kernel kernel) {
    std::size_t bytes = 0;
    const auto get = FERRY_OPENCL_12_REAL(clGetKernelInfo);
    if (get(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &bytes) != CL_SUCCESS) {
        return {};
    }
    std::vector<char> name(bytes + 1, '\0');
    get(kernel, CL_KERNEL_FUNCTION_NAME, bytes, name.data(), nullptr);
    return name.data();
}

bool number(std::string_view text, int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

cl_int failed_status(cl_event event) {
    Faults& all = faults();
    const std::lock_guard lock(all.mutex);
    const auto found = all.events.find(event);
    return found != all.events.end() ? found->second : CL_SUCCESS;
}

// "kernel:NAME:CODE" or "exit:FUNCTION,...:STATUS"; "" ends the injection.
FERRY_OPENCL_12_EXPORT int ferry_double_inject(const char* spec) {
    std::string_view text = spec != nullptr ? spec : "";
    const bool exiting = text.starts_with("exit:");
    std::string_view name;
    int code = CL_SUCCESS;
    if (!text.empty()) {
        const std::string_view begin = exiting ? "exit:" : "kernel:";
        const std::size_t colon = text.rfind(':');
        if (!text.starts_with(begin) || colon <= begin.size() || !number(text.substr(colon + 1), code) ||
            (code >= 0) != exiting) {
            return 0;
        }
        name = text.substr(begin.size(), colon - begin.size());
    }
    {
        Faults& all = faults();
        const std::lock_guard lock(all.mutex);
        all.kernel = exiting ? std::string_view() : name;
        all.code = exiting ? CL_SUCCESS : code;
    }
    ask_for_exit(exiting ? name : std::string_view(), code);
    return 1;
}

FERRY_OPENCL_12_EXPORT cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                                             cl_command_queue_properties properties,
                                                             cl_int* code) {
    const cl_command_queue made =
        FERRY_OPENCL_12_REAL(clCreateCommandQueue)(context, device, properties, code);
    Faults& all = faults();
    const std::lock_guard lock(all.mutex);
    all.queues.erase(made);
    return made;
}

FERRY_OPENCL_12_EXPORT cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                     cl_uint dimensions, const size_t* offset,
                                                     const size_t* global, const size_t* local, cl_uint waits,
                                                     const cl_event* list, cl_event* event) {
    Faults& all = faults();
    const std::lock_guard lock(all.mutex);
    const cl_int code = FERRY_OPENCL_12_REAL(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset,
                                                                     global, local, waits, list, event);
    if (code == CL_SUCCESS) {
        if (!all.kernel.empty() && name_of(kernel) == all.kernel) {
            all.queues[queue] = all.code;
        }
        all.recorded(queue, event);
    }
    return code;
}

#define FERRY_OPENCL_12_BEHIND(name)                                                                \
    FERRY_OPENCL_12_EXPORT cl_int name(cl_command_queue queue, cl_uint waits, const cl_event* list, \
                                       cl_event* event) {                                           \
        Faults& all = faults();                                                                     \
        const std::lock_guard lock(all.mutex);                                                      \
        const cl_int code = FERRY_OPENCL_12_REAL(name)(queue, waits, list, event);                  \
        if (code == CL_SUCCESS) {                                                                   \
            if (all.any_failed(waits, list)) {                                                      \
                all.queues.try_emplace(queue, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);        \
            }                                                                                       \
            all.recorded(queue, event);                                                             \
        }                                                                                           \
        return code;                                                                                \
    }
FERRY_OPENCL_12_BEHIND(clEnqueueMarkerWithWaitList)
FERRY_OPENCL_12_BEHIND(clEnqueueBarrierWithWaitList)
#undef FERRY_OPENCL_12_BEHIND

FERRY_OPENCL_12_EXPORT cl_int clWaitForEvents(cl_uint count, const cl_event* list) {
    const cl_int code = FERRY_OPENCL_12_REAL(clWaitForEvents)(count, list);
    Faults& all = faults();
    const std::lock_guard lock(all.mutex);
    if (code != CL_SUCCESS || !all.any_failed(count, list)) {
        return code;
    }
    std::erase_if(all.queues, [&](const auto& queue) { // this reports it, like clFinish
        const auto last = all.last.find(queue.first);
        return last != all.last.end() && std::find(list, list + count, last->second) != list + count;
    });
    return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

FERRY_OPENCL_12_EXPORT cl_int clFinish(cl_command_queue queue) {
    const cl_int code = FERRY_OPENCL_12_REAL(clFinish)(queue);
    Faults& all = faults();
    const std::lock_guard lock(all.mutex);
    const auto failed = all.queues.extract(queue);
    return code == CL_SUCCESS && !failed.empty() ? failed.mapped() : code;
}

FERRY_OPENCL_12_EXPORT cl_int clReleaseEvent(cl_event event) {
    Faults& all = faults();
    const std::lock_guard lock(all.mutex);
    cl_uint references = 0;
    if (all.events.contains(event) &&
        FERRY_OPENCL_12_REAL(clGetEventInfo)(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references,
                                             nullptr) == CL_SUCCESS &&
        references == 1) {
        all.events.erase(event);
    }
    return FERRY_OPENCL_12_REAL(clReleaseEvent)(event);
}
