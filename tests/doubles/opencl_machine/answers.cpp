// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <cstring>

namespace {

cl_int give(const void* value, std::size_t bytes, std::size_t size, void* to, std::size_t* needed) {
    if (to != nullptr && size < bytes) {
        return CL_INVALID_VALUE;
    }
    if (to != nullptr) {
        std::memcpy(to, value, bytes);
    }
    if (needed != nullptr) {
        *needed = bytes;
    }
    return CL_SUCCESS;
}

cl_int give(const std::string& text, std::size_t size, void* to, std::size_t* needed) {
    return give(text.c_str(), text.size() + 1, size, to, needed);
}

std::string real_extensions(cl_device_id device) {
    std::size_t bytes = 0;
    const auto ask = FERRY_OPENCL_12_REAL(clGetDeviceInfo);
    if (ask(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &bytes) != CL_SUCCESS) {
        return {};
    }
    std::string text(bytes, '\0');
    ask(device, CL_DEVICE_EXTENSIONS, bytes, text.data(), nullptr);
    text.resize(text.find(char{}));
    return text;
}

} // namespace

FERRY_OPENCL_12_EXPORT cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size,
                                                void* to, size_t* needed) {
    if (const auto text = machine::platform_text(what)) {
        return give(*text, size, to, needed);
    }
    return FERRY_OPENCL_12_REAL(clGetPlatformInfo)(platform, what, size, to, needed);
}

FERRY_OPENCL_12_EXPORT cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* to,
                                              size_t* needed) {
    std::size_t bytes = 0;
    if (const auto value = machine::number(what, bytes)) {
        return give(&*value, bytes, size, to, needed); // the low bytes
    }
    if (const auto text = machine::device_text(what)) {
        return give(*text, size, to, needed);
    }
    if (what == CL_DEVICE_EXTENSIONS && machine::has_usm()) {
        return give(real_extensions(device) + " cl_intel_unified_shared_memory", size, to, needed);
    }
    return FERRY_OPENCL_12_REAL(clGetDeviceInfo)(device, what, size, to, needed);
}
