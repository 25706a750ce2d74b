// SPDX-License-Identifier: Apache-2.0
// A libcuda of one device that returns the values of FERRY_DOUBLE_ABSURD and computes nothing. Names:
// version, count, memory, attribute (all of them), capability, allocation (an address), host, stream, event,
// context, elapsed, name ("endless"), error ("null"). Four names are actions of cuInit: exit (with a status),
// signals, print, and state (changes the state of the process).
#include "absurd.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <climits>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#define FERRY_ABSURD_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int answer(const char* name, void** to) {
    static std::uintptr_t last = 0x1000;
    *to = reinterpret_cast<void*>(absurd::number<std::uintptr_t>(name, last += 16));
    return 0;
}

void change_state() {
    std::setlocale(LC_ALL, "C.UTF-8");
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::fesetround(FE_UPWARD);
    umask(0777);
    static_cast<void>(chdir("/proc") == 0);
}

} // namespace

FERRY_ABSURD_EXPORT int cuInit(unsigned) {
    if (absurd::word("exit")) {
        std::exit(absurd::number("exit", 0));
    }
    if (absurd::word("signals")) {
        for (const int signal : {SIGUSR1, SIGTERM}) {
            std::signal(signal, [](int) { _exit(99); });
        }
    }
    if (absurd::word("print")) {
        std::puts("a driver's word on standard output");
        static_cast<void>(std::fflush(stdout));
    }
    if (absurd::word("state")) {
        change_state();
    }
    return 0;
}
FERRY_ABSURD_EXPORT int cuDriverGetVersion(int* version) {
    *version = absurd::number("version", 12040);
    return 0;
}
FERRY_ABSURD_EXPORT int cuDeviceGetCount(int* count) {
    *count = absurd::number("count", 1);
    return absurd::number("counted", 0);
}
FERRY_ABSURD_EXPORT int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return 0;
}
FERRY_ABSURD_EXPORT int cuDeviceGetName(char* name, int length, int) {
    std::memset(name, 'A', absurd::word("name") ? static_cast<std::size_t>(length) : 1);
    return 0;
}
FERRY_ABSURD_EXPORT int cuDeviceGetPCIBusId(char* text, int length, int) {
    std::memset(text, 'B', absurd::word("name") ? static_cast<std::size_t>(length) : 1);
    return 0;
}
FERRY_ABSURD_EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = absurd::number("memory", std::size_t{1} << 30);
    return 0;
}
FERRY_ABSURD_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int) {
    constexpr int capability_major = 75;
    constexpr int capability_minor = 76;
    *value = attribute == capability_major   ? absurd::number("capability", 9)
             : attribute == capability_minor ? 0
                                             : absurd::number("attribute", 1024);
    return 0;
}
FERRY_ABSURD_EXPORT int cuDevicePrimaryCtxRetain(void** context, int) {
    return answer("context", context);
}
FERRY_ABSURD_EXPORT int cuCtxGetCurrent(void** context) {
    *context = nullptr;
    return 0;
}
FERRY_ABSURD_EXPORT int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    *total = std::size_t{1} << 30;
    *free = absurd::number("free", *total);
    return 0;
}
FERRY_ABSURD_EXPORT int cuMemAlloc_v2(unsigned long long* memory, std::size_t) {
    *memory = absurd::number("allocation", 1ULL << 40);
    return 0;
}
FERRY_ABSURD_EXPORT int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
    const std::size_t whole = (bytes + 4095) / 4096 * 4096;
    *memory = absurd::word("host") ? reinterpret_cast<void*>(absurd::number<std::uintptr_t>("host", 0))
                                   : std::aligned_alloc(4096, whole);
    return 0;
}
FERRY_ABSURD_EXPORT int cuMemHostGetDevicePointer_v2(unsigned long long* address, void* memory, unsigned) {
    *address = absurd::number("allocation", reinterpret_cast<unsigned long long>(memory));
    return 0;
}
FERRY_ABSURD_EXPORT int cuMemAllocManaged(unsigned long long* memory, std::size_t bytes, unsigned) {
    const std::size_t whole = (bytes + 4095) / 4096 * 4096;
    *memory = absurd::word("allocation") ? absurd::number("allocation", 0ULL)
                                         : reinterpret_cast<std::uintptr_t>(std::aligned_alloc(4096, whole));
    return 0;
}
FERRY_ABSURD_EXPORT int cuStreamCreate(void** stream, unsigned) {
    return answer("stream", stream);
}
FERRY_ABSURD_EXPORT int cuEventCreate(void** event, unsigned) {
    return answer("event", event);
}
FERRY_ABSURD_EXPORT int cuEventElapsedTime(float* milliseconds, void*, void*) {
    const std::string said = absurd::word("elapsed").value_or("");
    *milliseconds = said == "nan"        ? std::numeric_limits<float>::quiet_NaN()
                    : said == "infinity" ? std::numeric_limits<float>::infinity()
                    : said == "negative" ? -1e30F
                                         : 1.0F;
    return 0;
}
FERRY_ABSURD_EXPORT int cuGetErrorName(int, const char** text) {
    *text = absurd::word("error") ? nullptr : "CUDA_ERROR_ABSURD";
    return 0;
}
FERRY_ABSURD_EXPORT int cuGetErrorString(int, const char** text) {
    *text = absurd::word("error") ? nullptr : "an absurd error";
    return 0;
}
