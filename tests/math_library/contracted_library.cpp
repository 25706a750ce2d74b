// SPDX-License-Identifier: Apache-2.0
#define VARIANT contracted
#include "variant.inc"

std::span<const math_library::Function> math_library::contracted_functions() {
    return functions;
}
