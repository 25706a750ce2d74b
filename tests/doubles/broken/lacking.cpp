// SPDX-License-Identifier: Apache-2.0
// A library that opens as any vendor's and has one function of each: all the others are missing.

#define FERRY_DOUBLE_EXPORT extern "C" __attribute__((visibility("default")))

FERRY_DOUBLE_EXPORT int cuInit(unsigned int) {
    return 0;
}
FERRY_DOUBLE_EXPORT int hipInit(unsigned int) {
    return 0;
}
FERRY_DOUBLE_EXPORT int clGetPlatformIDs(unsigned int, void*, unsigned int*) {
    return 0;
}
