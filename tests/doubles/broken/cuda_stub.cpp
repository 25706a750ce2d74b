// SPDX-License-Identifier: Apache-2.0
// A libcuda with every function of the table, like the toolkit's stub. The functions do nothing. Each returns
// 34, or the value of FERRY_DOUBLE_CUDA_CODE (100: a driver without a device).

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
