// SPDX-License-Identifier: Apache-2.0
// A libcuda of one device whose calls cost nothing: every function of the table is there, each returns
// success at once, and the few below give what Ferry needs to make queues, memory and kernels of it. Nothing
// is computed. What is timed on it is Ferry's own part of a call (tests/bench/overhead.cpp).

#define FERRY_EMPTY_EXPORT extern "C" __attribute__((visibility("default")))

// Weak, so that the definitions below stand in their place. Parameters that nobody reads need no declaration.
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) \
    FERRY_EMPTY_EXPORT __attribute__((weak)) int cuda() { \
        return 0;                                         \
    }
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) \
    FERRY_EMPTY_EXPORT __attribute__((weak)) int name() {         \
        return 0;                                                 \
    }
#include "driver/symbols.def"
