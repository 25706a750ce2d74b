// SPDX-License-Identifier: Apache-2.0
#include "builtin_operator.hpp"

#include <cmath>

namespace kernels {
namespace {

const std::vector<Type> every_type{std::begin(all_types), std::end(all_types)};
const std::vector<Type> from_int{Type::i32, Type::u32, Type::i64, Type::u64};

Builtin choice(const char* name, const char* expression, const char* arguments, bool (*first)(const Call& c),
               unsigned yes, unsigned no) {
    return {name, expression, arguments, "g", every_type, [=](const Call& c) {
                c.out[0]->value = *c.in[first(c) ? yes : no];
                c.out[0]->sign = true;
            }};
}

void add_choices(std::vector<Builtin>& rows) {
    const auto by_sign = [](const Call& c) { return c.width == 1 ? c.i(2) != 0 : c.i(2) < 0; };
    const auto by_truth = [](const Call& c) { return c.i(2) != 0; };
    const auto less = [](const Call& c) { return is_float(c.type) ? c.f() < c.f(1) : c.i() < c.i(1); };
    rows.push_back(choice("operator?: (sign bits)", "C ? A : B", "ggn", by_sign, 0, 1));
    rows.push_back(choice("operator?: (scalar condition)", "C ? A : B", "ggk", by_truth, 0, 1));
    rows.push_back(choice("operator?: (scalar second)", "(A < B) ? C : A", "ggs", less, 2, 0));
    rows.push_back(choice("operator?: (scalar third)", "(A < B) ? B : C", "ggs", less, 1, 2));
}

/// Constants and counts of type int, together with vectors of other types.
void add_ints(std::vector<Builtin>& rows) {
    const auto add = [&](const char* expression, const std::vector<Type>& types,
                         Wide (*calculate)(Type, Wide)) {
        rows.push_back(
            {std::string("operator of an int: ") + expression, expression, "g", "g", types,
             [=](const Call& c) { c.out[0]->integer(wrap(c.type, calculate(promoted(c), c.i()))); }});
    };
    add("A << 3", integer_types(), [](Type, Wide a) { return a << 3; });
    add("A >> 3", integer_types(), [](Type, Wide a) { return a >> 3; });
    add("A << 35", integer_types(), [](Type t, Wide a) { return a << (35 % bits_of(t)); });
    add("A >> 35", integer_types(), [](Type t, Wide a) { return a >> (35 % bits_of(t)); });
    add("2 - (A >> ($T)1)", from_int, [](Type, Wide a) { return 2 - (a >> 1); });
    add("(A >> ($T)2) * 3", from_int, [](Type, Wide a) { return (a >> 2) * 3; });
    add("A / 7 + 100 % (A | ($T)1)", from_int,
        [](Type t, Wide a) { return wrap(t, a / 7) + 100 % wrap(t, a | 1); });
    add("-2 ^ A", from_int, [](Type, Wide a) { return -2 ^ a; });
    rows.push_back({"operator of an int: -1 < A", "-1 < A", "g", "l", from_int,
                    [](const Call& c) { c.out[0]->integer(truth(c, wrap(c.type, -1) < c.i())); }});
    for (const bool left : {true, false}) {
        rows.push_back({left ? "operator<< (int count)" : "operator>> (int count)",
                        left ? "A << B" : "A >> B", "gk", "g", integer_types(), [left](const Call& c) {
                            c.out[0]->integer(
                                wrap(c.type, calculated(left ? '<' : '>', promoted(c), c.i(), c.i(1))));
                        }});
    }
    rows.push_back({"operator- (float by int)", "A - B", "gk", "g", float_types(), [](const Call& c) {
                        const auto b = static_cast<long double>(c.i(1));
                        c.out[0]->real(c.f() - round_to_float(c.type, b, Rounding::nearest_even), 0.5L);
                    }});
    rows.push_back({"operator* (int by float)", "A * B", "kg", "g", float_types(), [](const Call& c) {
                        const auto a = static_cast<long double>(c.i());
                        c.out[0]->real(round_to_float(c.type, a, Rounding::nearest_even) * c.f(1), 0.5L);
                    }});
}

/// Results that are visible only in a larger type: char and short scalars become int, but vectors do not.
void add_promotions(std::vector<Builtin>& rows) {
    const auto step = [](const Call& c, Wide value) { return wrap(promoted(c), value); };
    rows.push_back({"promotion: (A + B) >> 1",
                    "(A + B) >> ($T)1",
                    "gg",
                    "g",
                    {Type::u8, Type::u16, Type::u32, Type::u64},
                    [=](const Call& c) { c.out[0]->integer(wrap(c.type, step(c, c.i() + c.i(1)) >> 1)); }});
    rows.push_back({"promotion: ~A >> 1", "~A >> ($T)1", "g", "g", integer_types(),
                    [=](const Call& c) { c.out[0]->integer(wrap(c.type, step(c, ~c.i()) >> 1)); }});
    rows.push_back({"promotion: (A << 4) >> 4", "(A << ($T)4) >> ($T)4", "g", "g", integer_types(),
                    [=](const Call& c) { c.out[0]->integer(wrap(c.type, step(c, c.i() << 4) >> 4)); }});
    rows.push_back({"promotion: A - B < 0",
                    "(A - B) < ($T)0",
                    "gg",
                    "l",
                    {Type::u8, Type::u16, Type::u32, Type::u64},
                    [=](const Call& c) { c.out[0]->integer(truth(c, step(c, c.i() - c.i(1)) < 0)); }});
    rows.push_back({"promotion: -A < A", "-(A >> ($T)1) < A", "g", "l", integer_types(),
                    [=](const Call& c) { c.out[0]->integer(truth(c, step(c, -(c.i() >> 1)) < c.i())); }});
}

/// The sizes of three expressions, each in one byte.
void add_sizes(std::vector<Builtin>& rows) {
    const auto vector_of = [](const Call& c, std::size_t size) {
        return static_cast<Wide>(size) * (c.width == 3 ? 4 : c.width);
    };
    const auto add = [&](const char* name, const char* expression, const std::vector<Type>& types,
                         bool compares) {
        rows.push_back({name, expression, "gg", "m", types, [=](const Call& c) {
                            const Wide whole = vector_of(c, size_of(promoted(c)));
                            const Wide third = !compares      ? vector_of(c, size_of(c.type))
                                               : c.width == 1 ? 4
                                                              : vector_of(c, size_of(c.type));
                            c.out[0]->integer(whole + 256 * whole + 65536 * third);
                        }});
    };
    add("sizeof -A, ~A, !A", "(int)(sizeof(-A) + 256 * sizeof(~A) + 65536 * sizeof(!A))", integer_types(),
        true);
    add("sizeof A + B, A << B, A < B", "(int)(sizeof(A + B) + 256 * sizeof(A << B) + 65536 * sizeof(A < B))",
        integer_types(), true);
    add("sizeof A - B, A / B, A == B", "(int)(sizeof(A - B) + 256 * sizeof(A / B) + 65536 * sizeof(A == B))",
        float_types(), true);
    add("sizeof A & B, B % A, (T)A", "(int)(sizeof(A & B) + 256 * sizeof(B % A) + 65536 * sizeof(($T)(A)))",
        integer_types(), false);
}

Type common_type(Type a, Type b) {
    const Type x = size_of(a) < 4 ? Type::i32 : a;
    const Type y = size_of(b) < 4 ? Type::i32 : b;
    return size_of(x) != size_of(y) ? (size_of(x) > size_of(y) ? x : y) : is_unsigned(x) ? x : y;
}

/// Scalars of two types. Their common type decides the comparison and the upper bits of a long.
void add_mixtures(std::vector<Builtin>& rows) {
    for (const Type second : integer_types()) {
        const std::string letter(1, static_cast<char>('0' + static_cast<int>(second)));
        rows.push_back({"operators of two types, second " + name_of(second),
                        "(A < B) ? (long)(A ^ B) : ~(long)(A ^ B)",
                        "g" + letter,
                        "6",
                        integer_types(),
                        [second](const Call& c) {
                            const Type type = common_type(c.type, second);
                            const Wide a = wrap(type, c.i());
                            const Wide b = wrap(type, c.i(1));
                            const Wide both = wrap(Type::i64, a ^ b);
                            c.out[0]->integer(a < b ? both : ~both);
                        },
                        false,
                        {1}});
    }
}

} // namespace

std::vector<Builtin> operator_mixture_builtins() {
    std::vector<Builtin> rows;
    add_choices(rows);
    add_ints(rows);
    add_promotions(rows);
    add_sizes(rows);
    add_mixtures(rows);
    return rows;
}

} // namespace kernels
