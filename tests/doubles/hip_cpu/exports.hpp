// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../hip_exports.hpp"
#include "device.hpp"

#ifndef FERRY_DOUBLE_ABI
#error "FERRY_DOUBLE_ABI is the major version of ROCm that the library stands for: 5, 6 or 7."
#endif

// The same for functions that need a device: there may be none, and it may be lost.
#define FERRY_DOUBLE_ENTER(name)                      \
    FERRY_DOUBLE_COUNT(name)                          \
    if (world().devices.empty()) {                    \
        return no_device;                             \
    }                                                 \
    if (const int lost = current().lost; lost != 0) { \
        return lost;                                  \
    }
