// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builtin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kernels {

inline constexpr long double nan_value = std::numeric_limits<long double>::quiet_NaN();
inline constexpr long double infinite = std::numeric_limits<long double>::infinity();

long double sin_pi(long double x);
long double cos_pi(long double x);
long double tan_pi(long double x);
long double gamma_function(long double x);
long double power(long double x, long double y);
long double power_of_positive(long double x, long double y);

/// Functions with integer arguments or several results.
std::vector<Builtin> mixed_math_builtins();

/// A row for float and double. `ulps` is the standard's limit for both, or only for float if `double_ulps` is
/// given. 0: the result is a number of the type, and the sign of a zero counts unless the standard does not
/// define it.
template <class Function>
Builtin math(std::string name, long double ulps, Function reference, long double double_ulps = -1) {
    constexpr bool one = std::is_invocable_v<Function, long double>;
    const bool sign = ulps == 0 && name.substr(0, 2) != "fm" && name.substr(3) != "mag";
    return {name, name + (one ? "(A)" : "(A, B)"), one ? "g" : "gg", "g", float_types(), [=](const Call& c) {
                const long double limit = c.type == Type::f64 && double_ulps >= 0 ? double_ulps : ulps;
                if constexpr (one) {
                    c.out[0]->real(reference(c.f()), limit);
                } else {
                    c.out[0]->real(reference(c.f(), c.f(1)), limit);
                }
                c.out[0]->sign = sign;
            }};
}

} // namespace kernels
