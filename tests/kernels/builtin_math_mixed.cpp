// SPDX-License-Identifier: Apache-2.0
#include "builtin_math.hpp"

#include <cstdint>
#include <numbers>

namespace kernels {
namespace {

using L = long double;
constexpr L pi = std::numbers::pi_v<L>;

bool odd(Wide n) {
    return n % 2 != 0;
}

L root(L x, Wide n) {
    if (n == 0 || (x < 0 && !odd(n))) {
        return nan_value;
    }
    if (x == 0) {
        const L size = n < 0 ? infinite : 0;
        return odd(n) ? std::copysign(size, x) : size;
    }
    return std::copysign(std::pow(std::fabs(x), 1 / static_cast<L>(n)), x);
}

void fused(const Call& c) {
    if (c.type == Type::f64) {
        c.out[0]->real(static_cast<L>(std::fma(static_cast<double>(c.f()), static_cast<double>(c.f(1)),
                                               static_cast<double>(c.f(2)))),
                       0);
    } else {
        c.out[0]->real(c.f() * c.f(1) + c.f(2), 0.5L);
    }
}

void multiply_add(const Call& c) {
    const L product = c.f() * c.f(1);
    const L size = std::max(std::fabs(product), std::fabs(c.f(2)));
    c.out[0]->real(product + c.f(2), 0);
    c.out[0]->any = !(size < largest(c.type) / 4);
    c.out[0]->absolute = 2 * ulp_at(c.type, size);
}

void fraction(const Call& c) {
    const L x = c.f();
    const L below = std::floor(x);
    // The largest number below 1.
    const L most = 1 - ulp_at(c.type, 0.5L);
    c.out[1]->real(below, 0);
    if (std::isinf(x)) {
        c.out[0]->real(std::copysign(0.0L, x), 0);
    } else {
        // Computed in the type itself, because a long double would be rounded a second time.
        const L exact = c.type == Type::f64
                            ? static_cast<L>(static_cast<double>(x) - static_cast<double>(below))
                            : static_cast<L>(static_cast<float>(x) - static_cast<float>(below));
        c.out[0]->real(std::isnan(x) ? x : std::min(exact, most), 0);
    }
}

void mantissa(const Call& c) {
    int exponent = 0;
    c.out[0]->real(std::frexp(c.f(), &exponent), 0);
    c.out[1]->integer(exponent);
    c.out[1]->any = !std::isfinite(c.f());
}

void integral_part(const Call& c) {
    L whole = 0;
    const L part = std::modf(c.f(), &whole);
    c.out[0]->real(part, 0);
    c.out[1]->real(whole, 0);
    c.out[0]->sign = c.out[1]->sign = true;
}

void quotient(const Call& c) {
    const L x = std::fabs(c.f());
    const L y = std::fabs(c.f(1));
    c.out[0]->real(std::remainder(c.f(), c.f(1)), 0);
    c.out[1]->any = !std::isfinite(x) || !std::isfinite(y) || y == 0;
    if (!c.out[1]->any) {
        // Seven bits of the quotient: fmod(x, 128 * y) minus the remainder.
        const L rest = std::fmod(x, 128 * y) - std::remainder(x, y);
        const auto low = static_cast<int>(std::lround(rest / y)) & 127;
        c.out[1]->low_bits = 127; // some devices store more of the quotient
        c.out[1]->integer(std::signbit(c.f()) != std::signbit(c.f(1)) ? -low : low);
    }
}

void log_gamma(const Call& c) {
    // The standard sets no limit. A good library has an error of some units of the largest term.
    const L x = c.f();
    c.out[0]->real(std::lgamma(x), 64);
    c.out[0]->absolute =
        x < 0 || std::fabs(x) < 4 ? 64 * ulp_at(c.type, 1.0L) * std::max(1.0L, std::fabs(x)) : 0;
    c.out[0]->any = x < -20; // near the poles, the result depends on every digit of x
    if (c.out[1] != nullptr) {
        c.out[1]->any = !(x > 0 || (x < 0 && x > -20 && std::floor(x) != x));
        c.out[1]->integer(x < 0 && std::fmod(std::floor(x), 2.0L) != 0 ? -1 : 1);
    }
}

void exponent_as_integer(const Call& c) {
    constexpr Wide least = INT32_MIN;
    const L x = c.f();
    Wanted& w = *c.out[0];
    if (x == 0 || std::isnan(x)) { // FP_ILOGB0 is INT_MIN or -INT_MAX, FP_ILOGBNAN INT_MIN or INT_MAX
        w.two = true;
        w.integer(least);
        w.other = integer(x == 0 ? -INT32_MAX : INT32_MAX);
    } else {
        w.integer(std::isinf(x) ? INT32_MAX : std::ilogb(x));
    }
}

void neighbour(const Call& c) {
    if (c.type == Type::f32) {
        c.out[0]->real(static_cast<L>(std::nextafter(static_cast<float>(c.f()), static_cast<float>(c.f(1)))),
                       0);
    } else {
        c.out[0]->real(
            static_cast<L>(std::nextafter(static_cast<double>(c.f()), static_cast<double>(c.f(1)))), 0);
    }
}

void scaled(const Call& c) {
    const auto n = static_cast<int>(std::clamp<Wide>(c.i(1), -5000, 5000));
    c.out[0]->real(std::scalbn(c.f(), n), 0.5L);
}

void with_limit(const Call& c, L value, L ulps) {
    c.out[0]->real(value, ulps);
}

} // namespace

// glibc's long double pow() is wrong for exponents from 2^63 on, but its double version is right.
L power(L x, L y) {
    return std::isfinite(x) && std::fabs(y) < 0x1p62L
               ? std::pow(x, y)
               : static_cast<L>(std::pow(static_cast<double>(x), static_cast<double>(y)));
}

L sin_pi(L x) {
    if (!std::isfinite(x)) {
        return nan_value;
    }
    const L r = std::remainder(x, 2.0L); // exact
    const L folded = r > 0.5L ? 1 - r : r < -0.5L ? -1 - r : r;
    return folded == 0 ? std::copysign(0.0L, x) : std::sin(folded * pi);
}
L cos_pi(L x) {
    if (!std::isfinite(x)) {
        return nan_value;
    }
    const L r = std::fabs(std::remainder(x, 2.0L));
    if (r == 0.5L) {
        return 0;
    }
    return r < 0.25L ? std::cos(r * pi) : r > 0.75L ? -std::cos((1 - r) * pi) : std::sin((0.5L - r) * pi);
}
L tan_pi(L x) {
    if (!std::isfinite(x)) {
        return nan_value;
    }
    const L r = std::remainder(x, 2.0L);
    if (std::fabs(r) == 0.5L) {
        return std::copysign(infinite, r);
    }
    if (r == 0 || std::fabs(r) == 1) {
        return std::copysign(0.0L, r == 0 ? x : -x);
    }
    const L s = std::remainder(x, 1.0L);
    return std::fabs(s) <= 0.25L ? std::tan(s * pi)
                                 : std::copysign(1 / std::tan((0.5L - std::fabs(s)) * pi), s);
}
L gamma_function(L x) {
    return std::tgamma(x);
}
L power_of_positive(L x, L y) {
    if (std::isnan(x) || std::isnan(y) || x < 0 || (x == 0 && y == 0) || (x == 1 && std::isinf(y)) ||
        (std::isinf(x) && y == 0)) {
        return nan_value;
    }
    return x == 0 ? (y < 0 ? infinite : 0) : power(x, y);
}

std::vector<Builtin> mixed_math_builtins() {
    const std::vector<Type> both = float_types();
    std::vector<Builtin> rows{
        {"fma", "fma(A, B, C)", "ggg", "g", both, fused},
        {"mad", "mad(A, B, C)", "ggg", "g", both, multiply_add},
        {"fract", "fract(A, &P)", "g", "gg", both, fraction},
        {"frexp", "frexp(A, &P)", "g", "gi", both, mantissa},
        {"modf", "modf(A, &P)", "g", "gg", both, integral_part},
        {"remquo", "remquo(A, B, &P)", "gg", "gi", both, quotient},
        {"lgamma", "lgamma(A)", "g", "g", both, log_gamma},
        {"lgamma_r", "lgamma_r(A, &P)", "g", "gi", both, log_gamma},
        {"ilogb", "ilogb(A)", "g", "i", both, exponent_as_integer},
        {"nextafter", "nextafter(A, B)", "gg", "g", both, neighbour},
        {"nan", "nan(A)", "u", "g", both, [](const Call& c) { c.out[0]->real(nan_value, 0); }},
        {"ldexp", "ldexp(A, B)", "gi", "g", both, scaled},
        {"ldexp(int)", "ldexp(A, B)", "gk", "g", both, scaled},
        {"pown", "pown(A, B)", "gi", "g", both,
         [](const Call& c) { with_limit(c, power(c.f(), static_cast<L>(c.i(1))), 16); }},
        {"rootn", "rootn(A, B)", "gi", "g", both,
         [](const Call& c) { with_limit(c, root(c.f(), c.i(1)), 16); }},
        {"fmax(scalar)", "fmax(A, B)", "gs", "g", both,
         [](const Call& c) { with_limit(c, std::fmax(c.f(), c.f(1)), 0); }},
        {"fmin(scalar)", "fmin(A, B)", "gs", "g", both,
         [](const Call& c) { with_limit(c, std::fmin(c.f(), c.f(1)), 0); }},
    };
    rows.push_back({"sincos", "sincos(A, &P)", "g", "gg", both, [](const Call& c) {
                        c.out[0]->real(std::sin(c.f()), 4);
                        c.out[1]->real(std::cos(c.f()), 4);
                    }});
    return rows;
}

} // namespace kernels
