// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/plausible.hpp"
#include "opencl_api.hpp"
#include "opencl_error.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ferry::opencl {

/// One value of a device. Zero if the device does not answer.
template <class T>
T device_value(const Api& api, cl_device_id device, cl_device_info what) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    return api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

/// One value that each device has. Throws Error if the device does not answer.
template <class T>
T required_value(const Api& api, cl_device_id device, cl_device_info what) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    check(api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
    return value;
}

/// A list of values. Empty if the device does not answer.
template <class T>
std::vector<T> device_values(const Api& api, cl_device_id device, cl_device_info what) {
    std::size_t bytes = 0;
    if (api.clGetDeviceInfo(device, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes < sizeof(T)) {
        return {};
    }
    backend::plausible(Backend::opencl, "clGetDeviceInfo", "bytes of values", bytes, 0, backend::most_text);
    std::vector<T> values(bytes / sizeof(T));
    if (api.clGetDeviceInfo(device, what, values.size() * sizeof(T), values.data(), nullptr) != CL_SUCCESS) {
        return {};
    }
    return values;
}

/// Text without blanks at its ends. Empty if there is no answer.
std::string device_text(const Api& api, cl_device_id device, cl_device_info what);
/// CL_DEVICE_NAME. Throws Error if the device does not answer.
std::string device_name(const Api& api, cl_device_id device);
std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info what);

/// The version of an extension as CL_MAKE_VERSION makes it. 0 if the device does not list it, or has no such
/// query (before OpenCL 3.0).
cl_version extension_version(const Api& api, cl_device_id device, std::string_view name);

/// 12 for "OpenCL 1.2 ...", 30 for "OpenCL 3.0 ...". 0 for a text of another form.
int version_number(const std::string& text);

} // namespace ferry::opencl
