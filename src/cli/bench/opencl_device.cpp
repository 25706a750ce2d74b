// SPDX-License-Identifier: Apache-2.0
#include "opencl_calls.hpp"

#include <string_view>

namespace bench {

namespace {

std::string text(auto call, auto object, cl_uint what) {
    std::size_t size = 0;
    check_opencl(call(object, what, 0, nullptr, &size), "clGet...Info");
    std::string value(size, '\0');
    check_opencl(call(object, what, size, value.data(), nullptr), "clGet...Info");
    value.resize(value.find_last_not_of(std::string_view("\0 ", 2)) + 1);
    return value;
}

} // namespace

cl_device_id find_opencl_device(const OpenclCalls& cl, const ferry::Device& wanted) {
    const ferry::DeviceInfo& info = wanted.info();
    std::size_t skip = 0;
    for (const ferry::Device& device : ferry::all_devices()) {
        const ferry::DeviceInfo& other = device.info();
        skip += other.backend == info.backend && other.name == info.name && other.platform == info.platform &&
                other.index < info.index;
    }
    cl_uint count = 0;
    check_opencl(cl.clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
    std::vector<cl_platform_id> platforms(count);
    check_opencl(cl.clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    for (cl_platform_id platform : platforms) {
        if (text(cl.clGetPlatformInfo, platform, CL_PLATFORM_NAME) != info.platform ||
            cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) {
            continue;
        }
        std::vector<cl_device_id> devices(count);
        check_opencl(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
                     "clGetDeviceIDs");
        for (cl_device_id device : devices) {
            if (text(cl.clGetDeviceInfo, device, CL_DEVICE_NAME) == info.name && skip-- == 0) {
                return device;
            }
        }
    }
    throw std::runtime_error("The raw side could not find " + wanted.id() + ", \"" + info.name + "\".");
}

} // namespace bench
