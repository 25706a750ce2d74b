// SPDX-License-Identifier: Apache-2.0
// Simulates that machine's memory on a processor. A GPU's driver copies CL_MEM_USE_HOST_PTR memory. Intel's
// driver uses it in place if the device is on the host's memory and the pages and cache lines are whole.
// cl_intel_unified_shared_memory is implemented with fine-grained SVM.
#include "machine.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

namespace {

bool stays_in_place(const void* host, size_t size) {
    return !machine::is_gpu() || (machine::leaves_pages_in_place() &&
                                  reinterpret_cast<std::uintptr_t>(host) % 4096 == 0 && size % 64 == 0);
}

void* allocate(cl_context context, size_t bytes, cl_int* code) {
    void* const made =
        FERRY_OPENCL_12_REAL(clSVMAlloc)(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes, 0);
    if (code != nullptr) {
        *code = made != nullptr ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    }
    return made;
}

void* CL_API_CALL allocate_host(cl_context context, const cl_mem_properties_intel*, size_t bytes, cl_uint,
                                cl_int* code) {
    return allocate(context, bytes, code);
}

void* CL_API_CALL allocate_for(cl_context context, cl_device_id, const cl_mem_properties_intel*, size_t bytes,
                               cl_uint, cl_int* code) {
    return allocate(context, bytes, code);
}

// PoCL 5 fills only memory that it allocated itself.
cl_int CL_API_CALL fill(cl_command_queue queue, void* to, const void* pattern, size_t pattern_size,
                        size_t bytes, cl_uint waits, const cl_event* list, cl_event* event) {
    const cl_int told = FERRY_OPENCL_12_REAL(clEnqueueSVMMemFill)(queue, to, pattern, pattern_size, bytes,
                                                                  waits, list, event);
    if (told != CL_INVALID_OPERATION) {
        return told;
    }
    cl_context context = nullptr;
    cl_int code = FERRY_OPENCL_12_REAL(clGetCommandQueueInfo)(queue, CL_QUEUE_CONTEXT, sizeof(cl_context),
                                                              &context, nullptr);
    if (code != CL_SUCCESS) {
        return code;
    }
    cl_mem in_place = FERRY_OPENCL_12_REAL(clCreateBuffer)(context, CL_MEM_USE_HOST_PTR, bytes, to, &code);
    if (code != CL_SUCCESS) {
        return code;
    }
    code = FERRY_OPENCL_12_REAL(clEnqueueFillBuffer)(queue, in_place, pattern, pattern_size, 0, bytes, waits,
                                                     list, event);
    FERRY_OPENCL_12_REAL(clReleaseMemObject)(in_place);
    return code;
}

cl_int CL_API_CALL release(cl_context context, void* memory) {
    FERRY_OPENCL_12_REAL(clSVMFree)(context, memory);
    return CL_SUCCESS;
}

template <class Function>
void* address(Function* function) {
    return reinterpret_cast<void*>(function);
}

// The program's memory, with a separate buffer of the driver. Unmapping copies the bytes to the buffer, and
// mapping copies them back. The specification allows this.
struct Shadowed {
    char* host = nullptr;
    size_t bytes = 0;
    bool read_only = false; ///< the last mapping was read-only
};
struct Shadows {
    std::mutex mutex;
    std::map<cl_mem, Shadowed> all;
};
Shadows& shadows() {
    static auto* const made = new Shadows; // never destroyed, because calls may come while the process ends
    return *made;
}
std::optional<Shadowed> shadowed(cl_mem memory) {
    const std::lock_guard lock(shadows().mutex);
    const auto found = shadows().all.find(memory);
    return found != shadows().all.end() ? std::optional(found->second) : std::nullopt;
}

} // namespace

FERRY_OPENCL_12_EXPORT void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                cl_map_flags flags, size_t offset, size_t size,
                                                cl_uint num_events_in_wait_list,
                                                const cl_event* event_wait_list, cl_event* event,
                                                cl_int* errcode_ret) {
    const std::optional<Shadowed> shadow = shadowed(buffer);
    if (!shadow) {
        return FERRY_OPENCL_12_REAL(clEnqueueMapBuffer)(queue, buffer, blocking, flags, offset, size,
                                                        num_events_in_wait_list, event_wait_list, event,
                                                        errcode_ret);
    }
    {
        const std::lock_guard lock(shadows().mutex);
        shadows().all[buffer].read_only = flags == CL_MAP_READ;
    }
    const cl_int told = FERRY_OPENCL_12_REAL(clEnqueueReadBuffer)(
        queue, buffer, blocking, offset, size, shadow->host + offset, num_events_in_wait_list,
        event_wait_list, event);
    if (errcode_ret != nullptr) {
        *errcode_ret = told;
    }
    return told == CL_SUCCESS ? shadow->host + offset : nullptr;
}

FERRY_OPENCL_12_EXPORT cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memobj, void* mapped,
                                                      cl_uint num_events_in_wait_list,
                                                      const cl_event* event_wait_list, cl_event* event) {
    const std::optional<Shadowed> shadow = shadowed(memobj);
    if (!shadow) {
        return FERRY_OPENCL_12_REAL(clEnqueueUnmapMemObject)(queue, memobj, mapped, num_events_in_wait_list,
                                                             event_wait_list, event);
    }
    return shadow->read_only
               ? FERRY_OPENCL_12_REAL(clEnqueueMarkerWithWaitList)(queue, num_events_in_wait_list,
                                                                   event_wait_list, event)
               : FERRY_OPENCL_12_REAL(clEnqueueWriteBuffer)(queue, memobj, CL_FALSE, 0, shadow->bytes,
                                                            shadow->host, num_events_in_wait_list,
                                                            event_wait_list, event);
}

FERRY_OPENCL_12_EXPORT cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                             void* host_ptr, cl_int* errcode_ret) {
    if ((flags & CL_MEM_USE_HOST_PTR) != 0 && !stays_in_place(host_ptr, size)) {
        flags = (flags & ~cl_mem_flags{CL_MEM_USE_HOST_PTR}) | CL_MEM_COPY_HOST_PTR;
    }
    if (!machine::copies_in_secret()) {
        return FERRY_OPENCL_12_REAL(clCreateBuffer)(context, flags, size, host_ptr, errcode_ret);
    }
    const bool shadow = (flags & CL_MEM_USE_HOST_PTR) != 0;
    if (shadow) {
        flags = (flags & ~cl_mem_flags{CL_MEM_USE_HOST_PTR}) | CL_MEM_COPY_HOST_PTR;
    }
    cl_mem made = FERRY_OPENCL_12_REAL(clCreateBuffer)(context, flags, size, host_ptr, errcode_ret);
    const std::lock_guard lock(shadows().mutex);
    shadows().all.erase(made); // the handle belonged to a released buffer
    if (shadow && made != nullptr) {
        shadows().all[made] = {static_cast<char*>(host_ptr), size};
    }
    return made;
}

FERRY_OPENCL_12_EXPORT void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                      const char* name) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (std::strstr(name, "INTEL") == nullptr) {
        return FERRY_OPENCL_12_REAL(clGetExtensionFunctionAddressForPlatform)(platform, name);
    }
    if (!machine::has_usm()) { // regardless of the processor's driver
        return nullptr;
    }
    return is("clHostMemAllocINTEL")                                    ? address(allocate_host)
           : is("clDeviceMemAllocINTEL") || is("clSharedMemAllocINTEL") ? address(allocate_for)
           : is("clMemFreeINTEL")                                       ? address(release)
           : is("clSetKernelArgMemPointerINTEL") ? real_function("clSetKernelArgSVMPointer")
           : is("clEnqueueMemcpyINTEL")          ? real_function("clEnqueueSVMMemcpy")
           : is("clEnqueueMemFillINTEL")         ? address(fill)
                                                 : nullptr;
}
