// SPDX-License-Identifier: Apache-2.0
// An NVRTC with every function of the table but without output. It is used to compare its version with the
// driver's.

#define FERRY_EMPTY_EXPORT extern "C" __attribute__((visibility("default")))

#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    FERRY_EMPTY_EXPORT __attribute__((weak)) int nvrtc() {             \
        return 0;                                                      \
    }
#define FERRY_NVRTC_SYMBOL(tier, member, name, result, parameters) \
    FERRY_EMPTY_EXPORT __attribute__((weak)) int name() {          \
        return 0;                                                  \
    }
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    FERRY_EMPTY_EXPORT const char* nvrtc() {                         \
        return "an error";                                           \
    }
#include "driver/compiler.def"
