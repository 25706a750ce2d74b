// SPDX-License-Identifier: Apache-2.0
// A libcuda of one device with calls that cost nothing and compute nothing. It has every function of the
// table, and each returns success at once. A few return the values that Ferry needs to make queues, memory
// and kernels. Timings on it show Ferry's own part of a call (tests/bench/overhead.cpp).

#define FERRY_EMPTY_EXPORT extern "C" __attribute__((visibility("default")))

// Weak, so that the definitions below replace them. Unused parameters need no declaration.
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) \
    FERRY_EMPTY_EXPORT __attribute__((weak)) int cuda() { \
        return 0;                                         \
    }
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) \
    FERRY_EMPTY_EXPORT __attribute__((weak)) int name() {         \
        return 0;                                                 \
    }
#include "driver/symbols.def"
