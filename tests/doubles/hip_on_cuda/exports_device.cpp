// SPDX-License-Identifier: Apache-2.0
#include "../hip_errors.hpp"
#include "../hip_numbers.hpp"
#include "forward.hpp"

#include <cstdio>
#include <cstring>

namespace {

// no AMD device has this name, so it cannot be confused with one
constexpr const char* architecture = "gfx000";

int cuda_attribute(int hip) {
    switch (hip) {
#define FERRY_ATTRIBUTE(name, amd, number, cuda) \
    case attribute_##name:                       \
        return cuda;
        FERRY_DOUBLE_ATTRIBUTES(FERRY_ATTRIBUTE)
#undef FERRY_ATTRIBUTE
    default:
        return 0;
    }
}

int fill_properties(void* properties, int ordinal, std::size_t size, std::size_t architecture_at) {
    auto* bytes = static_cast<char*>(properties);
    std::memset(bytes, 0, size);
    std::snprintf(bytes + architecture_at, 256, "%s", architecture);
    return hipDeviceGetName(bytes, 256, ordinal);
}

} // namespace

Result hipInit(unsigned int flags) {
    FERRY_DOUBLE_COUNT(hipInit)
    return flags == 0 ? ready() : static_cast<int>(invalid_value);
}

Result hipDriverGetVersion(int* version) {
    FERRY_DOUBLE_COUNT(hipDriverGetVersion)
    return hipRuntimeGetVersion(version);
}

Result hipRuntimeGetVersion(int* version) {
    FERRY_DOUBLE_COUNT(hipRuntimeGetVersion)
    *version = 60342134;
    return success;
}

const char* hipGetErrorName(Result error) {
    return error_of(error).name;
}
const char* hipGetErrorString(Result error) {
    return error_of(error).text;
}

Result hipGetDeviceCount(int* count) {
    FERRY_DOUBLE_COUNT(hipGetDeviceCount)
    *count = 0;
    const int code = ready() == success ? forward(cuda::driver().cuDeviceGetCount, count) : ready();
    return code == success && *count == 0 ? static_cast<int>(no_device) : code;
}

Result hipDeviceGet(Device* device, int ordinal) {
    FERRY_DOUBLE_COUNT(hipDeviceGet)
    return forward(cuda::driver().cuDeviceGet, device, ordinal);
}

Result hipDeviceGetName(char* name, int length, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceGetName)
    return forward(cuda::driver().cuDeviceGetName, name, length, device);
}

Result hipDeviceTotalMem(std::size_t* bytes, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceTotalMem)
    return forward(cuda::driver().cuDeviceTotalMem_v2, bytes, device);
}

Result hipDeviceGetAttribute(int* value, DeviceAttribute attribute, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceGetAttribute)
    const int number = cuda_attribute(attribute);
    *value = 0;
    return number != 0 ? forward(cuda::driver().cuDeviceGetAttribute, value, number, device)
                       : static_cast<int>(success);
}

Result hipDeviceGetPCIBusId(char* text, int length, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceGetPCIBusId)
    return forward(cuda::driver().cuDeviceGetPCIBusId, text, length, device);
}

Result hipDeviceGetUuid(Uuid* uuid, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceGetUuid)
    return forward(cuda::driver().cuDeviceGetUuid_v2, uuid, device);
}

Result hipGetDevicePropertiesR0600(Properties* properties, int ordinal) {
    FERRY_DOUBLE_COUNT(hipGetDevicePropertiesR0600)
    return fill_properties(properties, ordinal, 1472, 1160);
}

Result hipGetDeviceProperties(Properties* properties, int ordinal) {
    FERRY_DOUBLE_COUNT(hipGetDeviceProperties)
    return fill_properties(properties, ordinal, 792, 396);
}

Result hipGetDevice(Context* ordinal) {
    FERRY_DOUBLE_COUNT(hipGetDevice)
    *ordinal = current_device();
    return ready();
}

Result hipSetDevice(Context ordinal) {
    FERRY_DOUBLE_COUNT(hipSetDevice)
    int count = 0;
    if (hipGetDeviceCount(&count) != success || ordinal < 0 || ordinal >= count) {
        return invalid_device;
    }
    current_device() = ordinal;
    return success;
}

Result hipDeviceSynchronize() {
    FERRY_DOUBLE_ON_DEVICE(hipDeviceSynchronize)
    return forward(cuda::driver().cuCtxSynchronize);
}

Result hipDeviceCanAccessPeer(int* can, Device device, Device peer) {
    FERRY_DOUBLE_COUNT(hipDeviceCanAccessPeer)
    return forward(cuda::driver().cuDeviceCanAccessPeer, can, device, peer);
}

Result hipDeviceEnablePeerAccess(Context peer, unsigned int flags) {
    FERRY_DOUBLE_ON_DEVICE(hipDeviceEnablePeerAccess)
    return forward(cuda::driver().cuCtxEnablePeerAccess, primary_context(peer), flags);
}

Result hipMemGetInfo(std::size_t* free, std::size_t* total) {
    FERRY_DOUBLE_ON_DEVICE(hipMemGetInfo)
    return forward(cuda::driver().cuMemGetInfo_v2, free, total);
}
