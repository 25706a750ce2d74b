// SPDX-License-Identifier: Apache-2.0
#include "builtin_math.hpp"

namespace kernels {
namespace {

using L = long double;

Builtin test_of(const char* name, const char* arguments, bool (*holds)(Type, L, L)) {
    const std::string call = std::string(name) + (arguments[1] == '\0' ? "(A)" : "(A, B)");
    return {name, call, arguments, "l", float_types(), [holds](const Call& c) {
                const bool yes = holds(c.type, c.f(), c.in[1] != nullptr ? c.f(1) : 0);
                c.out[0]->integer(!yes ? 0 : c.width == 1 ? 1 : -1);
            }};
}

Wide pattern(Type type, const Value& value) {
    std::uint64_t bits = 0;
    if (is_float(type)) {
        store(type, value, &bits);
        return static_cast<Wide>(bits);
    }
    return value.i;
}

/// The condition of select(): the upper bit for vectors, any bit for scalars.
bool chosen(const Call& c) {
    return c.width == 1 ? c.i(2) != 0 : c.i(2) < 0;
}
bool chosen_unsigned(const Call& c) {
    return c.width == 1 ? c.i(2) != 0 : (c.i(2) >> (bits_of(c.type) - 1)) != 0;
}

Builtin selection(const char* name, char letter, bool (*choice)(const Call&)) {
    return {name,
            "select(A, B, C)",
            std::string("gg") + letter,
            "g",
            {std::begin(all_types), std::end(all_types)},
            [choice](const Call& c) {
                c.out[0]->value = *c.in[choice(c) ? 1 : 0];
                c.out[0]->sign = true;
            }};
}

Builtin bit_selection() {
    return {"bitselect",
            "bitselect(A, B, C)",
            "ggg",
            "g",
            {std::begin(all_types), std::end(all_types)},
            [](const Call& c) {
                const Wide mask = pattern(c.type, *c.in[2]);
                const Wide bits = (pattern(c.type, *c.in[0]) & ~mask) | (pattern(c.type, *c.in[1]) & mask);
                const auto low = static_cast<std::uint64_t>(static_cast<UnsignedWide>(bits));
                c.out[0]->value = load(c.type, &low);
                c.out[0]->sign = true;
            }};
}

Builtin reduction(const char* name, bool of_all) {
    // The most significant bit counts for scalars as for vectors.
    return {name,
            std::string(name) + "(A)",
            "g",
            "m",
            {Type::i8, Type::i16, Type::i32, Type::i64},
            [of_all](const Call& c) {
                bool result = of_all;
                for (unsigned k = 0; k < c.width; ++k) {
                    const bool set = c.in[0][k].i < 0;
                    result = of_all ? result && set : result || set;
                }
                c.out[0]->integer(result ? 1 : 0);
            },
            true};
}

} // namespace

std::vector<Builtin> relational_builtins() {
    return {
        test_of("isequal", "gg", [](Type, L a, L b) { return a == b; }),
        test_of("isnotequal", "gg", [](Type, L a, L b) { return a != b; }),
        test_of("isgreater", "gg", [](Type, L a, L b) { return a > b; }),
        test_of("isgreaterequal", "gg", [](Type, L a, L b) { return a >= b; }),
        test_of("isless", "gg", [](Type, L a, L b) { return a < b; }),
        test_of("islessequal", "gg", [](Type, L a, L b) { return a <= b; }),
        test_of("islessgreater", "gg", [](Type, L a, L b) { return a < b || a > b; }),
        test_of("isfinite", "g", [](Type, L a, L) { return std::isfinite(a); }),
        test_of("isinf", "g", [](Type, L a, L) { return std::isinf(a); }),
        test_of("isnan", "g", [](Type, L a, L) { return std::isnan(a); }),
        test_of("isnormal", "g",
                [](Type t, L a, L) { return std::isfinite(a) && std::fabs(a) >= least_normal(t); }),
        test_of("isordered", "gg", [](Type, L a, L b) { return !std::isnan(a) && !std::isnan(b); }),
        test_of("isunordered", "gg", [](Type, L a, L b) { return std::isnan(a) || std::isnan(b); }),
        test_of("signbit", "g", [](Type, L a, L) { return std::signbit(a); }),
        selection("select(signed)", 'n', chosen),
        selection("select(unsigned)", 'u', chosen_unsigned),
        bit_selection(),
        reduction("any", false),
        reduction("all", true),
    };
}

} // namespace kernels
