// SPDX-License-Identifier: Apache-2.0
// The functions of the table that opencl.cpp does not define. Weak, so that its definitions replace these.
#include "faults.hpp"

#define FERRY_OPENCL_REQUIRED(name)                      \
    FERRY_EVIL_EXPORT __attribute__((weak)) int name() { \
        evil::enter(#name);                              \
        return 0;                                        \
    }
#define FERRY_OPENCL_OPTIONAL(name, version) FERRY_OPENCL_REQUIRED(name)
#define FERRY_OPENCL_EXTENSION(name, token)
#include "opencl/symbols.def"
