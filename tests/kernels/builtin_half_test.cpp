// SPDX-License-Identifier: Apache-2.0
// Operators, conversions and functions of half and of its vectors, on each special value and on random bits.
#include "corpus.hpp"
#include "scalar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace kernels;
using conformance::random_below;

namespace builtin_half_test {

using Bits = std::uint16_t;
struct Half {
    Bits bits = 0;
};
using Real = long double;
constexpr std::size_t count = 48 * 64; // A multiple of each width.

/// A function of up to three halves. The result may be `steps` halves from the reference.
struct Row {
    std::string name;
    std::string expression; ///< Of a, b and c. $T is the type, $N its width.
    std::function<Real(Real, Real, Real)> reference;
    int steps = 0;
    bool any_sign = false; ///< Of a zero.
};

struct Operands {
    std::vector<Half> a, b, c;
};

Real value_of(Bits bits) {
    return (bits & 0x8000) != 0 ? -std::fabs(half_value(bits)) : half_value(bits);
}

/// NaNs are quiet, because functions of C need not ignore the others.
Bits quiet(Bits bits) {
    return (bits & 0x7fff) > 0x7c00 ? static_cast<Bits>(bits | 0x200) : bits;
}

Operands random_operands() {
    const Bits special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x8400, 0x3c00, 0xbc00, 0x3c01,
                            0x3bff, 0x4200, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3800, 0xb800, 0x6400};
    Operands made;
    for (std::size_t i = 0; i < count; ++i) {
        const auto any = [&] {
            return random_below(4) == 0 ? special[random_below(std::size(special))]
                                        : quiet(static_cast<Bits>(random_below(0x10000)));
        };
        made.a.push_back({any()});
        const bool near = random_below(3) == 0;
        made.b.push_back({near ? quiet(static_cast<Bits>(made.a.back().bits + random_below(64))) : any()});
        made.c.push_back({any()});
    }
    // Pairs of all special values.
    for (std::size_t i = 0; i < std::size(special) * std::size(special); ++i) {
        made.a[i].bits = special[i / std::size(special)];
        made.b[i].bits = special[i % std::size(special)];
    }
    return made;
}

/// The number of halves between two, or a large number if only one is a NaN.
int distance(Bits a, Bits b, bool any_sign) {
    const auto is_nan = [](Bits x) { return (x & 0x7fff) > 0x7c00; };
    const auto place = [](Bits x) { return (x & 0x8000) != 0 ? -(x & 0x7fff) : int{x}; };
    if (is_nan(a) || is_nan(b)) {
        return is_nan(a) && is_nan(b) ? 0 : 1 << 20;
    }
    const bool other_zero = place(a) == 0 && place(b) == 0 && a != b && !any_sign;
    return other_zero ? 1 << 20 : std::abs(place(a) - place(b));
}

std::string replaced(std::string text, unsigned width) {
    const std::string n = width == 1 ? "" : std::to_string(width);
    for (const auto& [from, to] : {std::pair{std::string("$N"), n}, {std::string("$T"), "half" + n}}) {
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
            text.replace(at, 2, to);
        }
    }
    return text;
}

std::string kernel_text(const Row& row, std::size_t index, unsigned width) {
    const std::string n = width == 1 ? "" : std::to_string(width);
    const auto load = [&](const std::string& from) {
        return width == 1 ? from + "[i]" : "vload" + n + "(i, " + from + ")";
    };
    return "kernel void k" + std::to_string(index) +
           replaced("(global const half* x, global const half* y, global const half* z, global half* out) {\n"
                    "    const size_t i = get_global_id(0);\n    const $T a = " +
                        load("x") + ", b = " + load("y") + ", c = " + load("z") + ";\n    $T second = a;\n" +
                        "    const $T r = " + row.expression + ";\n    " +
                        (width == 1 ? "out[i] = r" : "vstore" + n + "(r, i, out)") + ";\n}\n",
                    width);
}

/// Each row with one width, chosen at random.
void check_rows(const ferry::Device& device, std::vector<Row> rows) {
    if (!device.info().fp16) {
        MESSAGE(device.id(), ": not run, the device has no half precision");
        return;
    }
    if (device.backend() == ferry::Backend::vulkan) { // It refuses these.
        std::erase_if(rows, [](const Row& row) {
            return row.expression.starts_with("fma(") || row.expression.find("&second") != std::string::npos;
        });
    }
    std::string text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    std::vector<unsigned> widths;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        widths.push_back(all_widths[random_below(std::size(all_widths))]);
        text += kernel_text(rows[k], k, widths[k]);
    }
    Corpus c(device, text);
    const Operands in = random_operands();
    auto x = c.in(in.a);
    auto y = c.in(in.b);
    auto z = c.in(in.c);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const Row& row = rows[k];
        auto out = c.out<Half>(count);
        c.run(("k" + std::to_string(k)).c_str(), {count / widths[k] / 4, 4}, x, y, z, out);
        const std::vector<Half> seen = c.read(out);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Bits a = in.a[i].bits;
            const Bits b = in.b[i].bits;
            const Bits d = in.c[i].bits;
            const Real exact = row.reference(value_of(a), value_of(b), value_of(d));
            const Bits wanted = half_bits(exact, Rounding::nearest_even);
            if (distance(seen[i].bits, wanted, row.any_sign) > row.steps && wrong++ == 0) {
                FAIL_CHECK(row.name, " of width ", widths[k], " on ", device.id(), " of ", a, ", ", b, ", ",
                           d, " is ", seen[i].bits, " where ", wanted, " was expected (bits)");
            }
        }
    }
}

Row one(const char* name, Real (*f)(Real), int steps = 2) {
    return {name, std::string(name) + "(a)", [f](Real a, Real, Real) { return f(a); }, steps};
}
Row two(const char* name, Real (*f)(Real, Real), int steps = 2) {
    return {name, std::string(name) + "(a, b)", [f](Real a, Real b, Real) { return f(a, b); }, steps};
}

const Real pi = std::acos(-1.0L);
const Real nan_value = std::numeric_limits<Real>::quiet_NaN();

Real sign_of(Real x) {
    return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? x : 0;
}
/// max and min of a and b, of which one may be a NaN.
Real larger(Real a, Real b) {
    return std::fmax(a, b);
}

std::vector<Row> operators() {
    const auto as_mask = [](bool set) { return static_cast<Real>(set ? 1 : 0); };
    return {
        {"+", "a + b", [](Real a, Real b, Real) { return a + b; }},
        {"-", "a - b", [](Real a, Real b, Real) { return a - b; }},
        {"*", "a * b", [](Real a, Real b, Real) { return a * b; }},
        {"/", "a / b", [](Real a, Real b, Real) { return a / b; }},
        {"unary -", "-a", [](Real a, Real, Real) { return -a; }},
        {"+ scalar", "a + 1.5h", [](Real a, Real, Real) { return a + 1.5L; }},
        {"scalar *", "(half)3 * a", [](Real a, Real, Real) { return 3 * a; }},
        {"a * b + c, rounded twice", "(second = a * b, second + c)",
         [](Real a, Real b, Real c) { return half_value(half_bits(a * b, Rounding::nearest_even)) + c; }},
        {"+=", "(second += b)", [](Real a, Real b, Real) { return a + b; }},
        {"/=", "(second /= b)", [](Real a, Real b, Real) { return a / b; }},
        {"<", "fabs(convert_half$N(a < b))", [=](Real a, Real b, Real) { return as_mask(a < b); }},
        {">=", "fabs(convert_half$N(a >= b))", [=](Real a, Real b, Real) { return as_mask(a >= b); }},
        {"==", "fabs(convert_half$N(a == b))", [=](Real a, Real b, Real) { return as_mask(a == b); }},
        {"!=", "fabs(convert_half$N(a != b))", [=](Real a, Real b, Real) { return as_mask(a != b); }},
        {"&&", "fabs(convert_half$N(a && b))",
         [=](Real a, Real b, Real) { return as_mask(a != 0 && b != 0); }},
        {"!", "fabs(convert_half$N(!a))", [=](Real a, Real, Real) { return as_mask(a == 0); }},
        {"?:", "(a < b ? a : c)", [](Real a, Real b, Real c) { return a < b ? a : c; }},
    };
}

std::vector<Row> conversions() {
    const auto rounded = [](Rounding mode) {
        return [mode](Real a, Real b, Real) { return half_value(half_bits(a * b, mode)); };
    };
    const auto from_float = [](const std::string& mode) {
        return "convert_half$N" + mode + "(convert_float$N(a) * convert_float$N(b))";
    };
    // A number of 30 bits, which has to be rounded.
    const auto integer = [](Real a) { return std::isfinite(a) ? std::trunc(a * 16384) : 0; };
    const std::string as_long = "convert_long$N_sat(convert_float$N(a) * 16384.0f)";
    const auto saturated = [=](Real a, Real low, Real high) {
        return std::isnan(a) ? 0 : std::clamp(std::trunc(a), low, high);
    };
    std::vector<Row> rows{
        {"float to half", from_float(""), rounded(Rounding::nearest_even)},
        {"float to half, _rte", from_float("_rte"), rounded(Rounding::nearest_even)},
        {"float to half, _rtz", from_float("_rtz"), rounded(Rounding::to_zero)},
        {"float to half, _rtp", from_float("_rtp"), rounded(Rounding::up)},
        {"float to half, _rtn", from_float("_rtn"), rounded(Rounding::down)},
        {"half to char", "convert_half$N(convert_char$N_sat(a))",
         [=](Real a, Real, Real) { return saturated(a, -128, 127); }, 0, true},
        {"half to ushort, _rtp", "convert_half$N(convert_ushort$N_sat_rtp(a))",
         [=](Real a, Real, Real) { return saturated(std::ceil(a), 0, 65535); }, 0, true},
        {"half to int", "convert_half$N(convert_int$N_sat(a))",
         [=](Real a, Real, Real) { return std::isinf(a) ? a : saturated(a, -65504, 65504); }, 0, true},
        {"as", "as_half$N(as_short$N(a))", [](Real a, Real, Real) { return a; }},
        {"vload_half, vstore_half", "convert_half$N(convert_float$N(a))",
         [](Real a, Real, Real) { return a; }},
    };
    for (const auto& [suffix, mode] : {std::pair{"", Rounding::nearest_even},
                                       {"_rte", Rounding::nearest_even},
                                       {"_rtz", Rounding::to_zero},
                                       {"_rtp", Rounding::up},
                                       {"_rtn", Rounding::down}}) {
        rows.push_back(
            {std::string("long to half") + suffix,
             std::string("(isfinite(a) ? convert_half$N") + suffix + "(" + as_long + ") : (half$N)(0))",
             [=, mode = mode](Real a, Real, Real) { return half_value(half_bits(integer(a), mode)); }, 0,
             true});
    }
    return rows;
}

std::vector<Row> exact_functions() {
    const auto relation = [](const char* name, bool (*f)(Real, Real)) {
        return Row{name, "fabs(convert_half$N(" + std::string(name) + "(a, b)))",
                   [f](Real a, Real b, Real) { return static_cast<Real>(f(a, b) ? 1 : 0); }};
    };
    const auto kind = [](const char* name, bool (*f)(Real)) {
        return Row{name, "fabs(convert_half$N(" + std::string(name) + "(a)))",
                   [f](Real a, Real, Real) { return static_cast<Real>(f(a) ? 1 : 0); }};
    };
    return {
        one("fabs", std::fabs, 0),
        one("floor", std::floor, 0),
        one("ceil", std::ceil, 0),
        one("trunc", std::trunc, 0),
        one("rint", std::rint, 0),
        one("round", std::round, 0),
        one("sqrt", std::sqrt, 0),
        one("logb", std::logb, 0),
        one("sign", sign_of, 0),
        two("fmod", std::fmod, 0),
        two("remainder", std::remainder, 0),
        two("copysign", std::copysign, 0),
        two("fdim", std::fdim, 0),
        {"fmax", "fmax(a, b)", [](Real a, Real b, Real) { return larger(a, b); }, 0, true},
        {"fmin", "fmin(a, b)", [](Real a, Real b, Real) { return -larger(-a, -b); }, 0, true},
        {"fma", "fma(a, b, c)", [](Real a, Real b, Real c) { return std::fma(a, b, c); }},
        {"max", "(isnan(a) || isnan(b) ? c : max(a, b))",
         [](Real a, Real b, Real c) { return std::isnan(a) || std::isnan(b) ? c : larger(a, b); }, 0, true},
        {"step", "step(a, b)", [](Real a, Real b, Real) -> Real { return b < a ? 0 : 1; }},
        {"fract", "fract(a, &second)",
         [](Real a, Real, Real) {
             return std::isnan(a)   ? a
                    : std::isinf(a) ? std::copysign(0.0L, a)
                                    : std::fmin(a - std::floor(a), 1 - 0x1p-11L);
         },
         0, true},
        {"the second result of fract", "(fract(a, &second), second)",
         [](Real a, Real, Real) { return std::floor(a); }},
        {"modf", "modf(a, &second)",
         [](Real a, Real, Real) { return std::isinf(a) ? std::copysign(0.0L, a) : a - std::trunc(a); }, 0,
         true},
        {"ldexp", "ldexp(a, 3)", [](Real a, Real, Real) { return std::ldexp(a, 3); }},
        {"ldexp to subnormal numbers", "ldexp(a, -13)",
         [](Real a, Real, Real) { return std::ldexp(a, -13); }},
        relation("isequal", [](Real a, Real b) { return a == b; }),
        relation("isnotequal", [](Real a, Real b) { return a != b; }),
        relation("isgreater", [](Real a, Real b) { return a > b; }),
        relation("islessgreater", [](Real a, Real b) { return a < b || a > b; }),
        relation("isunordered", [](Real a, Real b) { return std::isnan(a) || std::isnan(b); }),
        kind("isnan", [](Real a) { return std::isnan(a); }),
        kind("isinf", [](Real a) { return std::isinf(a); }),
        kind("isfinite", [](Real a) { return std::isfinite(a); }),
        kind("isnormal", [](Real a) { return std::isfinite(a) && std::fabs(a) >= 0x1p-14L; }),
        kind("signbit", [](Real a) { return std::signbit(a); }),
    };
}

/// Numbers away from zeros and poles, where the limits of OpenCL C hold.
std::vector<Row> inexact_functions() {
    return {
        one("acos", std::acos),
        one("acosh", std::acosh),
        one("asin", std::asin),
        one("asinh", std::asinh),
        one("atan", std::atan),
        one("atanh", std::atanh),
        one("cbrt", std::cbrt),
        one("cos", std::cos),
        one("cosh", std::cosh),
        one("erf", std::erf, 4),
        one("erfc", std::erfc, 4),
        one("exp", std::exp),
        one("exp2", std::exp2),
        Row{"expm1", "expm1(a)", [](Real a, Real, Real) { return std::expm1(a); }, 2, true}, // AMD: +0 for -0
        one("log", std::log),
        one("log2", std::log2),
        one("log10", std::log10),
        one("log1p", std::log1p),
        one("sin", std::sin),
        one("sinh", std::sinh),
        one("tan", std::tan),
        one("tanh", std::tanh),
        one("exp10", [](Real x) { return std::pow(10.0L, x); }),
        one("rsqrt", [](Real x) { return 1 / std::sqrt(x); }),
        one("asinpi", [](Real x) { return std::asin(x) / pi; }),
        one("atanpi", [](Real x) { return std::atan(x) / pi; }),
        one("degrees", [](Real x) { return x * (180 / pi); }),
        one("radians", [](Real x) { return x * (pi / 180); }),
        two("atan2", std::atan2),
        two("hypot", std::hypot),
        two("pow", std::pow, 4),
        {"pown", "pown(a, 3)", [](Real a, Real, Real) { return a * a * a; }, 4},
        {"sincos", "sincos(a, &second)", [](Real a, Real, Real) { return std::sin(a); }, 2},
        {"the second result of sincos", "(sincos(a, &second), second)",
         [](Real a, Real, Real) { return std::cos(a); }, 2},
        {"mix",
         "(isfinite(a) && isfinite(b) && fabs(a) < 99.0h && fabs(b) < 99.0h ? mix(a, b, (half$N)(0.5h)) : c)",
         [](Real a, Real b, Real c) { return std::fabs(a) < 99 && std::fabs(b) < 99 ? a + (b - a) / 2 : c; },
         2, true},
    };
}

} // namespace builtin_half_test

using namespace builtin_half_test;

KERNEL_TEST("builtin: half operators") {
    check_rows(device, operators());
}

KERNEL_TEST("builtin: half conversions") {
    check_rows(device, conversions());
}

KERNEL_TEST("builtin: half functions that are exact") {
    check_rows(device, exact_functions());
}

KERNEL_TEST("builtin: half functions within limits") {
    check_rows(device, inexact_functions());
}
