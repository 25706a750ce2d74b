// SPDX-License-Identifier: Apache-2.0
#include "extended_table.hpp"

#include <algorithm>
#include <iterator>

namespace ferry::emit_spirv {
namespace {

// The number of a floating-point function is its index in this list.
constexpr std::string_view of_floats[] = {
    "acos",          "acosh",        "acospi",        "asin",        "asinh",         "asinpi",
    "atan",          "atan2",        "atanh",         "atanpi",      "atan2pi",       "cbrt",
    "ceil",          "copysign",     "cos",           "cosh",        "cospi",         "erfc",
    "erf",           "exp",          "exp2",          "exp10",       "expm1",         "fabs",
    "fdim",          "floor",        "fma",           "fmax",        "fmin",          "fmod",
    "fract",         "frexp",        "hypot",         "ilogb",       "ldexp",         "lgamma",
    "lgamma_r",      "log",          "log2",          "log10",       "log1p",         "logb",
    "mad",           "maxmag",       "minmag",        "modf",        "nan",           "nextafter",
    "pow",           "pown",         "powr",          "remainder",   "remquo",        "rint",
    "rootn",         "round",        "rsqrt",         "sin",         "sincos",        "sinh",
    "sinpi",         "sqrt",         "tan",           "tanh",        "tanpi",         "tgamma",
    "trunc",         "half_cos",     "half_divide",   "half_exp",    "half_exp2",     "half_exp10",
    "half_log",      "half_log2",    "half_log10",    "half_powr",   "half_recip",    "half_rsqrt",
    "half_sin",      "half_sqrt",    "half_tan",      "native_cos",  "native_divide", "native_exp",
    "native_exp2",   "native_exp10", "native_log",    "native_log2", "native_log10",  "native_powr",
    "native_recip",  "native_rsqrt", "native_sin",    "native_sqrt", "native_tan",    "clamp",
    "degrees",       "max",          "min",           "mix",         "radians",       "step",
    "smoothstep",    "sign",         "cross",         "distance",    "length",        "normalize",
    "fast_distance", "fast_length",  "fast_normalize"};

struct IntegerRow {
    std::string_view name;
    std::uint32_t of_signed, of_unsigned;
};
constexpr IntegerRow of_integers[] = {
    {"abs", 141, 201},      {"abs_diff", 142, 202}, {"add_sat", 143, 144}, {"hadd", 145, 146},
    {"rhadd", 147, 148},    {"clamp", 149, 150},    {"clz", 151, 151},     {"ctz", 152, 152},
    {"mad_hi", 153, 204},   {"mad_sat", 155, 154},  {"max", 156, 157},     {"min", 158, 159},
    {"mul_hi", 160, 203},   {"rotate", 161, 161},   {"sub_sat", 162, 163}, {"upsample", 165, 164},
    {"popcount", 166, 166}, {"mad24", 167, 168},    {"mul24", 169, 170},   {"bitselect", 186, 186},
};
constexpr std::uint32_t bitselect = 186;

} // namespace

std::optional<std::uint32_t> extended_number(std::string_view name, bool floats, bool is_signed) {
    // The function nan() takes an integer, but belongs to this list.
    if (floats || name == "nan") {
        const auto* const at = std::find(std::begin(of_floats), std::end(of_floats), name);
        if (at != std::end(of_floats)) {
            return static_cast<std::uint32_t>(at - std::begin(of_floats));
        }
        return name == "bitselect" ? std::optional(bitselect) : std::nullopt;
    }
    const auto* const row = std::find_if(std::begin(of_integers), std::end(of_integers),
                                         [&](const IntegerRow& r) { return r.name == name; });
    if (row == std::end(of_integers)) {
        return std::nullopt;
    }
    return is_signed ? row->of_signed : row->of_unsigned;
}

} // namespace ferry::emit_spirv
