// SPDX-License-Identifier: Apache-2.0
// A libcuda that has every function of the table and does nothing, as the toolkit's stub: each returns 34, or
// what FERRY_DOUBLE_CUDA_CODE says (100: a driver without a device).

#include <cstdlib>

namespace {

int code() {
    const char* text = std::getenv("FERRY_DOUBLE_CUDA_CODE");
    return text != nullptr ? std::atoi(text) : 34;
}

} // namespace

// The parameters do not matter: the caller passes them in registers or on its own stack.
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters)          \
    extern "C" __attribute__((visibility("default"))) int cuda() { \
        return code();                                             \
    }
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters)  \
    extern "C" __attribute__((visibility("default"))) int name() { \
        return code();                                             \
    }
#include "driver/symbols.def"
