// SPDX-License-Identifier: Apache-2.0
#include "opencl_query.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace ferry::opencl {
namespace {

/// Sets `code` to the result of the last call.
template <class Get>
std::string text_of(const char* call, Get get, cl_int& code) {
    std::size_t bytes = 0;
    code = get(0, nullptr, &bytes);
    if (code != CL_SUCCESS || bytes == 0) {
        return {};
    }
    backend::plausible(Backend::opencl, call, "bytes of text", bytes, 0, backend::most_text);
    std::string text(bytes, '\0');
    code = get(bytes, text.data(), nullptr);
    if (code != CL_SUCCESS) {
        return {};
    }
    text.resize(text.find('\0') == std::string::npos ? bytes : text.find('\0'));
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string device_text(const Api& api, cl_device_id device, cl_device_info what, cl_int& code) {
    const auto get = [&](std::size_t size, char* to, std::size_t* needed) {
        return api.clGetDeviceInfo(device, what, size, to, needed);
    };
    return text_of("clGetDeviceInfo", get, code);
}

} // namespace

std::string device_text(const Api& api, cl_device_id device, cl_device_info what) {
    cl_int code = CL_SUCCESS;
    return device_text(api, device, what, code);
}

std::string device_name(const Api& api, cl_device_id device) {
    cl_int code = CL_SUCCESS;
    std::string name = device_text(api, device, CL_DEVICE_NAME, code);
    check(code, "clGetDeviceInfo");
    return name;
}

std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info what) {
    const auto get = [&](std::size_t size, char* to, std::size_t* needed) {
        return api.clGetPlatformInfo(platform, what, size, to, needed);
    };
    cl_int code = CL_SUCCESS;
    return text_of("clGetPlatformInfo", get, code);
}

cl_version extension_version(const Api& api, cl_device_id device, std::string_view name) {
    for (const cl_name_version& extension :
         device_values<cl_name_version>(api, device, CL_DEVICE_EXTENSIONS_WITH_VERSION)) {
        const char* const end = std::find(std::begin(extension.name), std::end(extension.name), '\0');
        if (std::string_view(std::begin(extension.name), end) == name) {
            return extension.version;
        }
    }
    return 0;
}

int version_number(const std::string& text) {
    int major = 0;
    int minor = 0;
    return std::sscanf(text.c_str(), "OpenCL %d.%d", &major, &minor) == 2 ? major * 10 + minor : 0;
}

} // namespace ferry::opencl
