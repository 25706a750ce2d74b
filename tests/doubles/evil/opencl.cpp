// SPDX-License-Identifier: Apache-2.0
// An OpenCL library with one platform and one device. The functions that list them return values; all other
// functions only return success.
#include "faults.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace {

cl_int answer(const void* value, std::size_t bytes, std::size_t room, void* to, std::size_t* size) {
    if (size != nullptr) {
        *size = bytes;
    }
    if (to != nullptr) {
        std::memcpy(to, value, std::min(room, bytes));
    }
    return CL_SUCCESS;
}

cl_int answer_text(const char* text, std::size_t room, void* to, std::size_t* size) {
    return answer(text, std::strlen(text) + 1, room, to, size);
}

template <class T>
cl_int one(T value, cl_uint room, T* to, cl_uint* count) {
    if (count != nullptr) {
        *count = 1;
    }
    if (to != nullptr && room > 0) {
        *to = value;
    }
    return CL_SUCCESS;
}

int the_platform;
int the_device;

} // namespace

FERRY_EVIL_EXPORT cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
    evil::enter("clGetPlatformIDs");
    return one(reinterpret_cast<cl_platform_id>(&the_platform), room, platforms, count);
}

FERRY_EVIL_EXPORT cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info what, std::size_t room, void* to,
                                           std::size_t* size) {
    evil::enter("clGetPlatformInfo");
    return answer_text(what == CL_PLATFORM_VERSION ? "OpenCL 1.2 evil" : "Evil", room, to, size);
}

FERRY_EVIL_EXPORT cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint room, cl_device_id* devices,
                                        cl_uint* count) {
    evil::enter("clGetDeviceIDs");
    return one(reinterpret_cast<cl_device_id>(&the_device), room, devices, count);
}

FERRY_EVIL_EXPORT cl_int clGetDeviceInfo(cl_device_id, cl_device_info what, std::size_t room, void* to,
                                         std::size_t* size) {
    evil::enter("clGetDeviceInfo");
    switch (what) {
    case CL_DEVICE_NAME:
    case CL_DEVICE_VENDOR:
        return answer_text("Evil", room, to, size);
    case CL_DEVICE_VERSION:
    case CL_DRIVER_VERSION:
    case CL_DEVICE_OPENCL_C_VERSION:
        return answer_text("OpenCL 1.2 evil", room, to, size);
    case CL_DEVICE_EXTENSIONS:
        return answer_text("", room, to, size);
    default:
        const std::size_t numbers[3] = {64, 64, 64};
        return answer(numbers, std::min(room, sizeof numbers), room, to, size);
    }
}

FERRY_EVIL_EXPORT void* clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char*) {
    evil::enter("clGetExtensionFunctionAddressForPlatform");
    return nullptr;
}
