// SPDX-License-Identifier: Apache-2.0
#include "real.hpp"

#define FERRY_OPENCL_12(result, name, parameters, arguments) \
    FERRY_OPENCL_12_EXPORT result name parameters {          \
        return FERRY_OPENCL_12_REAL(name) arguments;         \
    }
#include "functions.def"
