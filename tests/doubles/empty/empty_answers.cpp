// SPDX-License-Identifier: Apache-2.0
// The functions of the empty libcuda that return values.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define FERRY_EMPTY_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int invalid_value = 1;
constexpr int out_of_memory = 2;
constexpr unsigned int non_blocking = 1; // the only streams that Ferry makes
constexpr std::size_t device_bytes = std::size_t{1} << 30;

/// A handle that differs from all other handles.
void* handle() {
    static std::atomic<std::uintptr_t> last{0x1000};
    return reinterpret_cast<void*>(last += 16);
}

int answer(void** to) {
    *to = handle();
    return 0;
}

thread_local void* current = nullptr;

} // namespace

FERRY_EMPTY_EXPORT int cuDriverGetVersion(int* version) {
    const char* const said = std::getenv("FERRY_DOUBLE_CUDA_VERSION");
    *version = said != nullptr ? std::atoi(said) : 13000;
    return 0;
}
FERRY_EMPTY_EXPORT int cuDeviceGetCount(int* count) {
    *count = 1;
    return 0;
}
FERRY_EMPTY_EXPORT int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return 0;
}
FERRY_EMPTY_EXPORT int cuDeviceGetName(char* name, int length, int) {
    std::strncpy(name, "Empty", static_cast<std::size_t>(length));
    return 0;
}
FERRY_EMPTY_EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = device_bytes;
    return 0;
}
FERRY_EMPTY_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int) {
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1024; // compute capability 9.0
    return 0;
}
FERRY_EMPTY_EXPORT int cuDeviceGetPCIBusId(char* text, int length, int) {
    const char* const said = std::getenv("FERRY_DOUBLE_CUDA_PCI");
    std::strncpy(text, said != nullptr ? said : "0000:00:00.0", static_cast<std::size_t>(length));
    return 0;
}
FERRY_EMPTY_EXPORT int cuDeviceGetUuid_v2(void* uuid, int) {
    const char* const said = std::getenv("FERRY_DOUBLE_CUDA_UUID"); // 16 letters
    std::memset(uuid, 0, 16);
    if (said != nullptr) {
        std::memcpy(uuid, said, std::min<std::size_t>(16, std::strlen(said)));
    }
    return 0;
}
FERRY_EMPTY_EXPORT int cuDevicePrimaryCtxRetain(void** context, int) {
    *context = reinterpret_cast<void*>(std::uintptr_t{0x1000});
    return 0;
}
FERRY_EMPTY_EXPORT int cuCtxGetCurrent(void** context) {
    *context = current;
    return 0;
}
FERRY_EMPTY_EXPORT int cuCtxSetCurrent(void* context) {
    current = context;
    return 0;
}
FERRY_EMPTY_EXPORT int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    *free = *total = device_bytes;
    return 0;
}
FERRY_EMPTY_EXPORT int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned int) {
    *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    return *memory != nullptr ? 0 : out_of_memory;
}
FERRY_EMPTY_EXPORT int cuMemFreeHost(void* memory) {
    std::free(memory);
    return 0;
}
FERRY_EMPTY_EXPORT int cuMemHostGetDevicePointer_v2(void** address, void* memory, unsigned int) {
    *address = memory;
    return 0;
}
FERRY_EMPTY_EXPORT int cuMemAllocManaged(unsigned long long* memory, std::size_t bytes, unsigned int) {
    void* const zeros = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (zeros != nullptr) {
        std::memset(zeros, 0, bytes);
    }
    *memory = reinterpret_cast<std::uintptr_t>(zeros);
    return zeros != nullptr ? 0 : out_of_memory;
}
FERRY_EMPTY_EXPORT int cuMemAlloc_v2(unsigned long long* memory, std::size_t bytes) {
    static std::atomic<unsigned long long> next{std::uint64_t{1} << 40};
    *memory = next.fetch_add((bytes + 255) / 256 * 256);
    return 0;
}
FERRY_EMPTY_EXPORT int cuStreamCreate(void** stream, unsigned int flags) {
    return flags == non_blocking ? answer(stream) : invalid_value;
}
FERRY_EMPTY_EXPORT int cuEventCreate(void** event, unsigned int) {
    return answer(event);
}
FERRY_EMPTY_EXPORT int cuModuleLoadDataEx(void** module, const void*, unsigned int, int*, void**) {
    return answer(module);
}
FERRY_EMPTY_EXPORT int cuModuleGetFunction(void** function, void*, const char*) {
    return answer(function);
}
FERRY_EMPTY_EXPORT int cuFuncGetAttribute(int* value, int attribute, void*) {
    *value = attribute == 0 ? 1024 : 0; // work-items in a group
    return 0;
}
FERRY_EMPTY_EXPORT int cuFuncGetParamInfo(void*, std::size_t, std::size_t*, std::size_t*) {
    return invalid_value; // makes Ferry read the image instead
}
FERRY_EMPTY_EXPORT int cuModuleGetFunctionCount(unsigned int* count, void*) {
    *count = 0;
    return 0;
}
FERRY_EMPTY_EXPORT int cuGetErrorName(int, const char** text) {
    *text = "CUDA_ERROR";
    return 0;
}
FERRY_EMPTY_EXPORT int cuGetErrorString(int, const char** text) {
    *text = "an error";
    return 0;
}
