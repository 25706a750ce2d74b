// SPDX-License-Identifier: Apache-2.0
// The machine's OpenCL with the results of FERRY_DOUBLE_ABSURD. Names: platforms, devices, memory,
// allocation, group, items, text (bytes), buffer, queue (both null).
#include "../opencl_12/real.hpp"
#include "absurd.hpp"

#include <cstring>

#define FERRY_OPENCL_12_EXPORT extern "C" __attribute__((visibility("default")))

FERRY_OPENCL_12_EXPORT cl_int clGetPlatformIDs(cl_uint size, cl_platform_id* platforms, cl_uint* count) {
    const cl_int code = FERRY_OPENCL_12_REAL(clGetPlatformIDs)(size, platforms, count);
    if (count != nullptr) {
        *count = absurd::number("platforms", *count);
    }
    return code;
}

FERRY_OPENCL_12_EXPORT cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint size,
                                             cl_device_id* devices, cl_uint* count) {
    const cl_int code = FERRY_OPENCL_12_REAL(clGetDeviceIDs)(platform, type, size, devices, count);
    if (count != nullptr && code == CL_SUCCESS) {
        *count = absurd::number("devices", *count);
    }
    return code;
}

FERRY_OPENCL_12_EXPORT cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, std::size_t size,
                                              void* value, std::size_t* bytes) {
    const cl_int code = FERRY_OPENCL_12_REAL(clGetDeviceInfo)(device, what, size, value, bytes);
    if (what == CL_DEVICE_NAME && bytes != nullptr) {
        *bytes = absurd::number("text", *bytes);
    }
    const char* const name = what == CL_DEVICE_GLOBAL_MEM_SIZE       ? "memory"
                             : what == CL_DEVICE_MAX_MEM_ALLOC_SIZE  ? "allocation"
                             : what == CL_DEVICE_MAX_WORK_GROUP_SIZE ? "group"
                             : what == CL_DEVICE_MAX_WORK_ITEM_SIZES ? "items"
                                                                     : "";
    if (absurd::word(name) && value != nullptr) {
        for (std::size_t at = 0; at + 8 <= size; at += 8) { // all values have 8 bytes
            const auto number = absurd::number<cl_ulong>(name, 0);
            std::memcpy(static_cast<char*>(value) + at, &number, sizeof number);
        }
    }
    return code;
}

FERRY_OPENCL_12_EXPORT cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, std::size_t size,
                                             void* host, cl_int* code) {
    if (absurd::word("buffer")) {
        *code = CL_SUCCESS;
        return nullptr;
    }
    return FERRY_OPENCL_12_REAL(clCreateBuffer)(context, flags, size, host, code);
}

FERRY_OPENCL_12_EXPORT cl_command_queue clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties* properties, cl_int* code) {
    if (absurd::word("queue")) {
        *code = CL_SUCCESS;
        return nullptr;
    }
    return FERRY_OPENCL_12_REAL(clCreateCommandQueueWithProperties)(context, device, properties, code);
}
