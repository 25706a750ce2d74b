// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../hip_exports.hpp"
#include "cuda_library.hpp"

namespace ferry_double {

/// HIP's code for a CUresult. It is the same number if HIP has the error, otherwise the nearest one.
int hip_code(int cuda_code);

/// Makes the calling thread's HIP device the current CUDA context. Returns a HIP code.
int use_current();
/// The primary context of a device, retained for ever; null if there is none.
void* primary_context(int ordinal);
int& current_device();
/// Whether the driver exists and is initialised. Returns a HIP code.
int ready();

/// Calls a function of the driver with its own parameter types. Converts the arguments passed by HIP.
template <class... P, class... A>
int forward(int (*function)(P...), A... arguments) {
    return function != nullptr ? hip_code(function((P)(arguments)...)) : static_cast<int>(not_supported);
}

} // namespace ferry_double

// Like FERRY_DOUBLE_COUNT. The thread's device is current afterwards.
#define FERRY_DOUBLE_ON_DEVICE(name)                         \
    FERRY_DOUBLE_COUNT(name)                                 \
    if (const int unusable = use_current(); unusable != 0) { \
        return unusable;                                     \
    }
