// SPDX-License-Identifier: Apache-2.0
// A libcuda, or with FERRY_EVIL_HIP a libamdhip64, with one device. Each function of the table commits the
// requested faults. The functions that list devices return values; all other functions only return success.
#include "faults.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>

// The function names of the two vendors.
#ifdef FERRY_EVIL_HIP
#define FERRY_EVIL(cuda, hip) hip
#else
#define FERRY_EVIL(cuda, hip) cuda
#endif
#define FERRY_EVIL_TEXT_OF(name) #name
#define FERRY_EVIL_TEXT(name) FERRY_EVIL_TEXT_OF(name)
#define FERRY_EVIL_FUNCTION(cuda, hip, parameters, ...)      \
    FERRY_EVIL_EXPORT int FERRY_EVIL(cuda, hip) parameters { \
        evil::enter(FERRY_EVIL_TEXT(FERRY_EVIL(cuda, hip))); \
        __VA_ARGS__;                                         \
        return 0;                                            \
    }

FERRY_EVIL_FUNCTION(cuDriverGetVersion, hipDriverGetVersion, (int* version),
                    *version = FERRY_EVIL(12040, 60000000))
FERRY_EVIL_FUNCTION(cuDeviceGetCount, hipGetDeviceCount, (int* count), *count = 1)
FERRY_EVIL_FUNCTION(cuDeviceGet, hipDeviceGet, (int* device, int ordinal), *device = ordinal)
FERRY_EVIL_FUNCTION(cuDeviceGetName, hipDeviceGetName, (char* name, int length, int),
                    std::snprintf(name, static_cast<std::size_t>(length), "Evil"))
FERRY_EVIL_FUNCTION(cuDeviceTotalMem_v2, hipDeviceTotalMem, (std::size_t * bytes, int),
                    *bytes = std::size_t{1} << 30)
FERRY_EVIL_FUNCTION(cuDeviceGetAttribute, hipDeviceGetAttribute, (int* value, int, int), *value = 8)
FERRY_EVIL_FUNCTION(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId, (char* text, int length, int),
                    std::snprintf(text, static_cast<std::size_t>(length), "0000:42:00.0"))
FERRY_EVIL_FUNCTION(cuDeviceGetUuid_v2, hipDeviceGetUuid, (void* uuid, int), std::memset(uuid, 7, 16))

#ifdef FERRY_EVIL_HIP
FERRY_EVIL_FUNCTION(, hipRuntimeGetVersion, (int* version), *version = 60000000)
FERRY_EVIL_EXPORT const char* hipGetErrorName(int) {
    return "hipErrorEvil";
}
FERRY_EVIL_EXPORT const char* hipGetErrorString(int) {
    return "an error";
}
#else
FERRY_EVIL_FUNCTION(cuGetErrorName, , (int, const char** text), *text = "CUDA_ERROR_EVIL")
FERRY_EVIL_FUNCTION(cuGetErrorString, , (int, const char** text), *text = "an error")
#endif
