// SPDX-License-Identifier: Apache-2.0
// The functions of the empty NVRTC that return values.

#include <cstdlib>

#define FERRY_EMPTY_EXPORT extern "C" __attribute__((visibility("default")))

FERRY_EMPTY_EXPORT int nvrtcVersion(int* major, int* minor) {
    const char* const said = std::getenv("FERRY_DOUBLE_NVRTC_VERSION");
    const int version = said != nullptr ? std::atoi(said) : 13000;
    *major = version / 1000;
    *minor = version % 1000 / 10;
    return 0;
}
