// SPDX-License-Identifier: Apache-2.0
#include "builtin_operator.hpp"

#include <cmath>

namespace kernels {
namespace {

using Calculation = Wide (*)(Type, Wide, Wide);

Builtin row(const char* symbol, std::string expression, std::string arguments, Calculation calculate,
            std::vector<Type> types = integer_types()) {
    return {std::string("operator") + symbol,
            std::move(expression),
            std::move(arguments),
            "g",
            std::move(types),
            [calculate](const Call& c) {
                c.out[0]->integer(
                    wrap(c.type, calculate(promoted(c), c.i(), c.in[1] != nullptr ? c.i(1) : 0)));
            }};
}

int masked(Type t, Wide count) {
    return static_cast<int>(count & static_cast<Wide>(bits_of(t) - 1));
}

Builtin division(const char* symbol, bool remainder) {
    // The expression avoids the divisors 0 and -1, whose result the standard does not define. A processor
    // would stop the program there.
    const std::string guarded = "A " + std::string(symbol) + " ((B & ~($T)2) | ($T)1)";
    return {
        std::string("operator") + symbol, guarded, "gg", "g", integer_types(), [remainder](const Call& c) {
            const Wide b = wrap(c.type, (c.i(1) & ~Wide{2}) | 1);
            c.out[0]->integer(wrap(c.type, remainder ? c.i() % b : c.i() / b));
        }};
}

Builtin arithmetic(const char* symbol, long double (*calculate)(long double, long double)) {
    return {std::string("operator") + symbol,
            "A " + std::string(symbol) + " B",
            "gg",
            "g",
            float_types(),
            [calculate, divide = *symbol == '/'](const Call& c) {
                c.out[0]->real(calculate(c.f(), c.f(1)), divide && c.type == Type::f32 ? 2.5L : 0.5L);
            }};
}

Builtin comparison(const char* symbol, char which) {
    return {std::string("operator") + symbol,
            std::string("A ") + symbol + " B",
            "gg",
            "l",
            {std::begin(all_types), std::end(all_types)},
            [which](const Call& c) {
                const bool yes =
                    is_float(c.type) ? compared(which, c.f(), c.f(1)) : compared(which, c.i(), c.i(1));
                c.out[0]->integer(!yes ? 0 : c.width == 1 ? 1 : -1);
            }};
}

Builtin logical(const char* name, const char* expression, bool (*calculate)(bool, bool)) {
    return {name, expression, "gg", "l", integer_types(), [calculate](const Call& c) {
                c.out[0]->integer(!calculate(c.i() != 0, c.i(1) != 0) ? 0 : c.width == 1 ? 1 : -1);
            }};
}

} // namespace

Wide calculated(char symbol, Type type, Wide a, Wide b) {
    switch (symbol) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
    case '/':
        return a / b;
    case '%':
        return a % b;
    case '&':
        return a & b;
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '<':
        return a << (b & static_cast<Wide>(bits_of(type) - 1));
    default:
        return a >> (b & static_cast<Wide>(bits_of(type) - 1));
    }
}

std::vector<Builtin> operator_builtins() {
    const Calculation left = [](Type t, Wide a, Wide b) { return a << masked(t, b); };
    const Calculation right = [](Type t, Wide a, Wide b) { return a >> masked(t, b); };
    // Adds only unsigned operands, because signed overflow is undefined.
    const std::vector<Type> u{Type::u8, Type::u16, Type::u32, Type::u64};
    std::vector<Builtin> rows{
        row(
            "+", "A + B", "gg", [](Type, Wide a, Wide b) { return a + b; }, u),
        row(
            "-", "A - B", "gg", [](Type, Wide a, Wide b) { return a - b; }, u),
        row("*", "A * B", "gg",
            [](Type t, Wide a, Wide b) {
                return wrap(t,
                            static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)));
            },
            {Type::u8, Type::u32, Type::u64}),
        row("&", "A & B", "gg", [](Type, Wide a, Wide b) { return a & b; }),
        row("|", "A | B", "gg", [](Type, Wide a, Wide b) { return a | b; }),
        row("^", "A ^ B", "gg", [](Type, Wide a, Wide b) { return a ^ b; }),
        row("~", "~A", "g", [](Type, Wide a, Wide) { return ~a; }),
        row(
            "- (negation)", "-A", "g", [](Type, Wide a, Wide) { return -a; }, u),
        row("<<", "A << B", "gg", left),
        row(">>", "A >> B", "gg", right),
        row("<< (scalar count)", "A << B", "gs", left),
        row(">>=", "(P = A, P >>= B, P)", "gg", right),
        division("/", false),
        division("%", true),
        arithmetic("+", [](long double a, long double b) { return a + b; }),
        arithmetic("-", [](long double a, long double b) { return a - b; }),
        arithmetic("*", [](long double a, long double b) { return a * b; }),
        arithmetic("/", [](long double a, long double b) { return a / b; }),
        comparison("<", '<'),
        comparison(">", '>'),
        comparison("<=", 'l'),
        comparison(">=", 'g'),
        comparison("==", '='),
        comparison("!=", '!'),
        logical("operator&&", "A && B", [](bool a, bool b) { return a && b; }),
        logical("operator||", "A || B", [](bool a, bool b) { return a || b; }),
        logical("operator!", "!A && !B", [](bool a, bool b) { return !a && !b; }),
    };
    rows.push_back({"operator?:", "(A < B) ? A : B", "gg", "g", integer_types(),
                    [](const Call& c) { c.out[0]->integer(c.i() < c.i(1) ? c.i() : c.i(1)); }});
    return rows;
}

} // namespace kernels
