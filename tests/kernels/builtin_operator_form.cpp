// SPDX-License-Identifier: Apache-2.0
#include "builtin_operator.hpp"

#include <cmath>

namespace kernels {
namespace {

const std::vector<Type> every_type{std::begin(all_types), std::end(all_types)};

/// The ways to write a binary operator with one vector.
enum class Form : std::uint8_t { scalar_left, scalar_right, compound, compound_scalar };

constexpr Form all_forms[] = {Form::scalar_left, Form::scalar_right, Form::compound, Form::compound_scalar};

std::string form_name(Form form, const std::string& symbol) {
    switch (form) {
    case Form::scalar_left:
        return "operator" + symbol + " (scalar left)";
    case Form::scalar_right:
        return "operator" + symbol + " (scalar right)";
    case Form::compound:
        return "operator" + symbol + "=";
    default:
        return "operator" + symbol + "= (scalar right)";
    }
}

const char* arguments_of(Form form) {
    return form == Form::scalar_left ? "sg" : form == Form::compound ? "gg" : "gs";
}

std::string form_expression(Form form, const std::string& symbol, const std::string& a,
                            const std::string& b) {
    return form == Form::scalar_left || form == Form::scalar_right
               ? a + " " + symbol + " " + b
               : "(P = " + a + ", P " + symbol + "= " + b + ")";
}

/// The number of bits by which an operand is shifted right first. This avoids overflow of signed numbers,
/// which is undefined. The product of two ushort operands is one of int operands.
unsigned room(char symbol, Type type, bool second) {
    if (symbol == '+' || symbol == '-') {
        return is_unsigned(type) ? 0 : 1;
    }
    return symbol != '*'        ? 0
           : !is_unsigned(type) ? bits_of(type) / 2
           : type == Type::u16  ? (second ? 0 : 8)
                                : 0;
}

/// A shifted operand, with the type of the vector or of the scalar. Operands of char and short have become
/// int.
std::string shifted(char name, bool scalar, unsigned by) {
    const std::string type = scalar ? "($S)" : "($T)";
    const std::string text = std::string(1, name) + " >> " + type + std::to_string(by);
    return by == 0 ? std::string(1, name) : (scalar ? type : "") + "(" + text + ")";
}

/// The standard does not define divisions by 0 and -1.
std::string divisor(char name, bool scalar) {
    const std::string type = scalar ? "($S)" : "($T)";
    return (scalar ? type : "") + "((" + name + " & ~" + type + "2) | " + type + "1)";
}

bool divides(char symbol) {
    return symbol == '/' || symbol == '%';
}

Builtin integer_form(Form form, const std::string& symbol, Type type) {
    const char s = symbol[0];
    const bool left = form == Form::scalar_left;
    const bool right = form == Form::scalar_right || form == Form::compound_scalar;
    const unsigned first = room(s, type, false);
    const unsigned second = room(s, type, true);
    const std::string b = divides(s) ? divisor('B', right) : shifted('B', right, second);
    Reference reference = [=](const Call& c) {
        const Wide y = divides(s) ? wrap(type, (c.i(1) & ~Wide{2}) | 1) : c.i(1) >> second;
        const Wide value = wrap(type, calculated(s, promoted(c), c.i() >> first, y));
        c.out[0]->integer(value);
        if (c.out[1] != nullptr) {
            c.out[1]->integer(value);
        }
    };
    const bool object = form == Form::compound || form == Form::compound_scalar;
    return {form_name(form, symbol),
            form_expression(form, symbol, shifted('A', left, first), b),
            arguments_of(form),
            object ? "gg" : "g",
            {type},
            std::move(reference)};
}

Builtin float_form(Form form, const std::string& symbol) {
    Reference reference = [s = symbol[0]](const Call& c) {
        const long double a = c.f();
        const long double b = c.f(1);
        const long double value = s == '+' ? a + b : s == '-' ? a - b : s == '*' ? a * b : a / b;
        const long double limit = s == '/' && c.type == Type::f32 ? 2.5L : 0.5L;
        for (Wanted* wanted : c.out) {
            if (wanted != nullptr) {
                wanted->real(value, limit);
            }
        }
    };
    const bool object = form == Form::compound || form == Form::compound_scalar;
    return {form_name(form, symbol), form_expression(form, symbol, "A", "B"),
            arguments_of(form),      object ? "gg" : "g",
            float_types(),           std::move(reference)};
}

void add_binary_forms(std::vector<Builtin>& rows) {
    for (const Form form : all_forms) {
        for (const char* symbol : {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}) {
            // If the count of a shift is a vector, the left operand must be one too.
            if (form == Form::scalar_left && (*symbol == '<' || *symbol == '>')) {
                continue;
            }
            for (const Type type : integer_types()) {
                rows.push_back(integer_form(form, symbol, type));
            }
        }
        for (const char* symbol : {"+", "-", "*", "/"}) {
            rows.push_back(float_form(form, symbol));
        }
    }
}

bool is_true(const Call& c, unsigned argument) {
    return is_float(c.type) ? c.f(argument) != 0 : c.i(argument) != 0;
}

void add_truths(std::vector<Builtin>& rows) {
    const std::pair<const char*, char> comparisons[] = {{"<", '<'},  {">", '>'},  {"<=", 'l'},
                                                        {">=", 'g'}, {"==", '='}, {"!=", '!'}};
    for (const Form form : {Form::scalar_left, Form::scalar_right}) {
        for (const auto& [symbol, which] : comparisons) {
            rows.push_back({form_name(form, symbol), std::string("A ") + symbol + " B", arguments_of(form),
                            "l", every_type, [w = which](const Call& c) {
                                c.out[0]->integer(truth(c, is_float(c.type) ? compared(w, c.f(), c.f(1))
                                                                            : compared(w, c.i(), c.i(1))));
                            }});
        }
        rows.push_back({form_name(form, "&&"), "A && B", arguments_of(form), "l", every_type,
                        [](const Call& c) { c.out[0]->integer(truth(c, is_true(c, 0) && is_true(c, 1))); }});
        rows.push_back({form_name(form, "||"), "A || B", arguments_of(form), "l", every_type,
                        [](const Call& c) { c.out[0]->integer(truth(c, is_true(c, 0) || is_true(c, 1))); }});
    }
    rows.push_back({"operator&& (floats)", "A && B", "gg", "l", float_types(),
                    [](const Call& c) { c.out[0]->integer(truth(c, c.f() != 0 && c.f(1) != 0)); }});
    rows.push_back({"operator! (alone)", "!A", "g", "l", every_type,
                    [](const Call& c) { c.out[0]->integer(truth(c, !is_true(c, 0))); }});
}

/// `++P` and similar expressions: the value of the expression, and the value of the object afterwards.
void add_steps(std::vector<Builtin>& rows) {
    for (const Wide step : {Wide{1}, Wide{-1}}) {
        const std::string symbol = step == 1 ? "++" : "--";
        for (const bool prefix : {true, false}) {
            for (const Type type : integer_types()) {
                const unsigned by = room('+', type, false);
                rows.push_back(
                    {"operator" + symbol + (prefix ? " (prefix)" : " (postfix)"),
                     "(P = " + shifted('A', false, by) + ", " + (prefix ? symbol + "P" : "P" + symbol) + ")",
                     "g",
                     "gg",
                     {type},
                     [=](const Call& c) {
                         const Wide before = c.i() >> by;
                         c.out[0]->integer(wrap(type, prefix ? before + step : before));
                         c.out[1]->integer(wrap(type, before + step));
                     }});
            }
        }
    }
}

void add_signs(std::vector<Builtin>& rows) {
    for (const Type type : integer_types()) {
        const unsigned by = room('-', type, false);
        rows.push_back(
            {"operator- (alone)", "-" + shifted('A', false, by), "g", "g", {type}, [=](const Call& c) {
                 c.out[0]->integer(wrap(type, -(c.i() >> by)));
             }});
    }
    rows.push_back({"operator- (alone)", "-A", "g", "g", float_types(), [](const Call& c) {
                        c.out[0]->real(-c.f(), 0);
                        c.out[0]->sign = true;
                    }});
    rows.push_back(
        {"operator+ (alone)", "+A", "g", "g", every_type, [](const Call& c) { c.out[0]->value = *c.in[0]; }});
}

} // namespace

std::vector<Builtin> operator_form_builtins() {
    std::vector<Builtin> rows;
    add_binary_forms(rows);
    add_truths(rows);
    add_steps(rows);
    add_signs(rows);
    return rows;
}

} // namespace kernels
