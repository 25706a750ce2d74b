// SPDX-License-Identifier: Apache-2.0
#pragma once

// The prototypes of all functions that a HIP double exports, made from Ferry's tables. A definition with
// another signature does not compile. A row without a definition does not link, because the lists of exports
// take the address of each.

#include "driver_cpu/faults.hpp"
#include "hip_types.hpp"

using namespace ferry_double; // the tables use the types without a namespace

#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) FERRY_DOUBLE_EXPORT Result hip parameters;
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) FERRY_DOUBLE_EXPORT result name parameters;
#include "driver/symbols.def"
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    FERRY_DOUBLE_EXPORT CompilerResult hiprtc parameters;
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    FERRY_DOUBLE_EXPORT const char* hiprtc parameters;
#include "driver/compiler.def"

// Counts the call and executes an injected failure.
#define FERRY_DOUBLE_COUNT(name)                                   \
    static Site& site_of_this = *find_site(#name);                 \
    if (const int injected = enter(site_of_this); injected != 0) { \
        return injected;                                           \
    }
