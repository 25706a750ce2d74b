// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../hip_exports.hpp"
#include "cuda_library.hpp"

namespace ferry_double {

/// HIP's number for a CUresult. They are the same where HIP has the error; the rest becomes the nearest one.
int hip_code(int cuda_code);

/// Makes the calling thread's HIP device the current CUDA context; a HIP code.
int use_current();
/// The primary context of a device, retained for good; null if there is none.
void* primary_context(int ordinal);
int& current_device();
/// Whether the driver is there and initialised; a HIP code.
int ready();

/// Calls a function of the driver with its own parameter types; what HIP passes is converted.
template <class... P, class... A>
int forward(int (*function)(P...), A... arguments) {
    return function != nullptr ? hip_code(function((P)(arguments)...)) : static_cast<int>(not_supported);
}

} // namespace ferry_double

// As FERRY_DOUBLE_COUNT, and the thread's device is current afterwards.
#define FERRY_DOUBLE_ON_DEVICE(name)                         \
    FERRY_DOUBLE_COUNT(name)                                 \
    if (const int unusable = use_current(); unusable != 0) { \
        return unusable;                                     \
    }
