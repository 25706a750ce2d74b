// SPDX-License-Identifier: Apache-2.0
// The functions of the table that driver.cpp does not define. Weak, so that its definitions replace these.
#include "faults.hpp"

#define FERRY_EVIL_WEAK(name)                            \
    FERRY_EVIL_EXPORT __attribute__((weak)) int name() { \
        evil::enter(#name);                              \
        return 0;                                        \
    }
#ifdef FERRY_EVIL_HIP
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) FERRY_EVIL_WEAK(hip)
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) FERRY_EVIL_WEAK(name)
#else
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) FERRY_EVIL_WEAK(cuda)
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) FERRY_EVIL_WEAK(name)
#endif
#include "driver/symbols.def"
