// SPDX-License-Identifier: Apache-2.0
// A library that can be opened as any vendor's. It has one function of each API and lacks all other
// functions.

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
