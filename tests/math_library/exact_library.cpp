// SPDX-License-Identifier: Apache-2.0
#define VARIANT exact
#include "variant.inc"

std::span<const math_library::Function> math_library::exact_functions() {
    return functions;
}
