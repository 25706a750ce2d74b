// SPDX-License-Identifier: Apache-2.0
// The references compute in long double, which has at least 11 bits more than double. Their own error is a
// few units in its last place, so it is below 2^-8 of a unit of the result. limits_slack in builtin_check.cpp
// allows for it.
#include "builtin_math.hpp"

#include <numbers>

namespace kernels {
namespace {

constexpr long double pi = std::numbers::pi_v<long double>;

std::vector<Builtin> one_argument() {
    using L = long double;
    return {
        math("acos", 4, [](L x) { return std::acos(x); }),
        math("acosh", 4, [](L x) { return std::acosh(x); }),
        math("acospi", 5, [](L x) { return std::acos(x) / pi; }),
        math("asin", 4, [](L x) { return std::asin(x); }),
        math("asinh", 4, [](L x) { return std::asinh(x); }),
        math("asinpi", 5, [](L x) { return std::asin(x) / pi; }),
        math("atan", 5, [](L x) { return std::atan(x); }),
        math("atanh", 5, [](L x) { return std::atanh(x); }),
        math("atanpi", 5, [](L x) { return std::atan(x) / pi; }),
        math("cbrt", 2, [](L x) { return std::cbrt(x); }),
        math("ceil", 0, [](L x) { return std::ceil(x); }),
        math("cos", 4, [](L x) { return std::cos(x); }),
        math("cosh", 4, [](L x) { return std::cosh(x); }),
        math("cospi", 4, cos_pi),
        math("erf", 16, [](L x) { return std::erf(x); }),
        math("erfc", 16, [](L x) { return std::erfc(x); }),
        math("exp", 3, [](L x) { return std::exp(x); }),
        math("exp2", 3, [](L x) { return std::exp2(x); }),
        math("exp10", 3, [](L x) { return std::pow(10.0L, x); }),
        math("expm1", 3, [](L x) { return std::expm1(x); }),
        math("fabs", 0, [](L x) { return std::fabs(x); }),
        math("floor", 0, [](L x) { return std::floor(x); }),
        math("log", 3, [](L x) { return std::log(x); }),
        math("log1p", 2, [](L x) { return std::log1p(x); }),
        math("log2", 3, [](L x) { return std::log2(x); }),
        math("log10", 3, [](L x) { return std::log10(x); }),
        math("logb", 0, [](L x) { return std::logb(x); }),
        math("rint", 0, [](L x) { return std::nearbyint(x); }),
        math("round", 0, [](L x) { return std::round(x); }),
        math("rsqrt", 2, [](L x) { return 1 / std::sqrt(x); }),
        math("sin", 4, [](L x) { return std::sin(x); }),
        math("sinh", 4, [](L x) { return std::sinh(x); }),
        math("sinpi", 4, sin_pi),
        math(
            "sqrt", 3, [](L x) { return std::sqrt(x); }, 0.5L),
        math("tan", 5, [](L x) { return std::tan(x); }),
        math("tanh", 5, [](L x) { return std::tanh(x); }),
        math("tanpi", 6, tan_pi),
        math("tgamma", 16, gamma_function),
        math("trunc", 0, [](L x) { return std::trunc(x); }),
    };
}

std::vector<Builtin> two_arguments() {
    using L = long double;
    return {
        math("atan2", 6, [](L x, L y) { return std::atan2(x, y); }),
        math("atan2pi", 6, [](L x, L y) { return std::atan2(x, y) / pi; }),
        math("copysign", 0, [](L x, L y) { return std::copysign(x, y); }),
        math("fdim", 0.5L, [](L x, L y) { return std::fdim(x, y); }),
        math("fmax", 0, [](L x, L y) { return std::fmax(x, y); }),
        math("fmin", 0, [](L x, L y) { return std::fmin(x, y); }),
        math("fmod", 0, [](L x, L y) { return std::fmod(x, y); }),
        math("hypot", 4, [](L x, L y) { return std::hypot(x, y); }),
        math("maxmag", 0,
             [](L x, L y) {
                 return std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : std::fmax(x, y);
             }),
        math("minmag", 0,
             [](L x, L y) {
                 return std::fabs(x) < std::fabs(y) ? x : std::fabs(y) < std::fabs(x) ? y : std::fmin(x, y);
             }),
        math("pow", 16, power),
        math("powr", 16, power_of_positive),
        math("remainder", 0, [](L x, L y) { return std::remainder(x, y); }),
    };
}

/// half_ and native_ functions. The first have a limit of 8192 units, and the second have none. Both are
/// compared only for arguments of moderate size. A tangent near its poles has the error of a cosine near 0,
/// multiplied. CUDA states that error as 2^-21.19 in absolute terms.
Builtin coarse(const std::string& name, long double (*reference)(long double)) {
    const bool half = name.rfind("half_", 0) == 0;
    const long double pole = name == "native_tan" ? 0x1p-20L : 0;
    return {name, name + "(A)", "g", "g", {Type::f32}, [reference, half, pole](const Call& c) {
                const long double x = c.f();
                const bool everyday = std::fabs(x) >= 0x1p-10L && std::fabs(x) <= (half ? 64 : 3);
                c.out[0]->any = !everyday;
                c.out[0]->real(reference(x), half ? 8192 : 0);
                const long double size = std::max(1.0L, std::fabs(c.out[0]->value.f));
                c.out[0]->absolute = half ? 0 : std::max(size * 0x1p-9L, size * size * pole);
            }};
}

void add_coarse(std::vector<Builtin>& rows) {
    using L = long double;
    using Function = L (*)(L);
    const std::pair<const char*, Function> functions[] = {
        {"cos", [](L x) { return std::cos(x); }},        {"exp", [](L x) { return std::exp(x); }},
        {"exp2", [](L x) { return std::exp2(x); }},      {"exp10", [](L x) { return std::pow(10.0L, x); }},
        {"log", [](L x) { return std::log(x); }},        {"log2", [](L x) { return std::log2(x); }},
        {"log10", [](L x) { return std::log10(x); }},    {"recip", [](L x) { return 1 / x; }},
        {"rsqrt", [](L x) { return 1 / std::sqrt(x); }}, {"sin", [](L x) { return std::sin(x); }},
        {"sqrt", [](L x) { return std::sqrt(x); }},      {"tan", [](L x) { return std::tan(x); }}};
    for (const std::string prefix : {"half_", "native_"}) {
        for (const auto& [name, reference] : functions) {
            rows.push_back(coarse(prefix + name, reference));
        }
        rows.push_back(
            {prefix + "divide", prefix + "divide(A, B)", "gg", "g", {Type::f32}, [](const Call& c) {
                 const L b = std::fabs(c.f(1));
                 const L a = std::fabs(c.f());
                 c.out[0]->any = !(a >= 0x1p-20L && a <= 0x1p20L && b >= 0x1p-20L && b <= 0x1p20L);
                 c.out[0]->real(c.f() / c.f(1), 8192);
             }});
        rows.push_back({prefix + "powr", prefix + "powr(A, B)", "gg", "g", {Type::f32}, [](const Call& c) {
                            c.out[0]->any = !(c.f() >= 0.125L && c.f() <= 8 && std::fabs(c.f(1)) <= 4);
                            c.out[0]->real(std::pow(c.f(), c.f(1)), 8192);
                        }});
    }
}

} // namespace

std::vector<Type> float_types() {
    return {Type::f32, Type::f64};
}

std::vector<Builtin> math_builtins() {
    std::vector<Builtin> rows = one_argument();
    for (Builtin& row : two_arguments()) {
        rows.push_back(std::move(row));
    }
    for (Builtin& row : mixed_math_builtins()) {
        rows.push_back(std::move(row));
    }
    add_coarse(rows);
    return rows;
}

} // namespace kernels
