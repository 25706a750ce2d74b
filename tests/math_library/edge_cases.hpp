// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace math_library {

/// A result that OpenCL C prescribes together with the sign of a zero. Functions of one argument ignore `y`.
struct EdgeCase {
    std::string_view name;
    long double x;
    long double y;
    long double wanted;
};

std::span<const EdgeCase> edge_cases();

} // namespace math_library
