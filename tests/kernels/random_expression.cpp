// SPDX-License-Identifier: Apache-2.0
#include "random_expression.hpp"

#include "../conformance/random.hpp"

#include <bit>

namespace kernels {
namespace {

using conformance::random_below;
using Function = Wide (*)(Type, Wide, Wide, Wide);

/// Scalars narrower than int are computed as int, so the result needs a cast.
std::string typed(Shape shape, const std::string& text) {
    return shape.width == 1 ? "(" + shape.name() + ")(" + text + ")" : "(" + text + ")";
}

/// An expression whose components depend on the same components of up to three others.
Expression componentwise(Shape shape, std::string text, std::vector<Expression> from, Function function) {
    return {shape, std::move(text), [=, from = std::move(from)](const Model& model) {
                std::vector<Lanes> in;
                for (const Expression& e : from) {
                    in.push_back(e.value(model));
                }
                Lanes out(in[0].size());
                for (std::size_t i = 0; i < out.size(); ++i) {
                    out[i] =
                        wrap(shape.type, function(from[0].shape.type, in[0][i], in.size() > 1 ? in[1][i] : 0,
                                                  in.size() > 2 ? in[2][i] : 0));
                }
                return out;
            }};
}

std::uint64_t pattern(Type t, Wide a) {
    return static_cast<std::uint64_t>(static_cast<UnsignedWide>(a) & ((UnsignedWide{1} << bits_of(t)) - 1));
}
Wide product(Type, Wide a, Wide b, Wide) {
    return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
}
Wide high(Type t, Wide a, Wide b, Wide) {
    return is_unsigned(t) ? static_cast<Wide>(static_cast<UnsignedWide>(product(t, a, b, 0)) >> bits_of(t))
                          : (a * b) >> bits_of(t);
}
Wide rotated(Type t, Wide a, Wide b, Wide) {
    const unsigned count = static_cast<unsigned>(pattern(t, b) % bits_of(t));
    const UnsignedWide p = pattern(t, a);
    return static_cast<Wide>(p << count | p >> (bits_of(t) - count));
}
Wide quotient(Type, Wide a, Wide b, Wide) {
    return a / ((b & ~Wide{2}) | 1);
}
Wide remainder(Type, Wide a, Wide b, Wide) {
    return a % ((b & ~Wide{2}) | 1);
}

struct Builtin {
    const char* name;
    unsigned arguments;
    Function function;
};
const Builtin builtins[] = {
    {"add_sat", 2, [](Type t, Wide a, Wide b, Wide) { return saturate(t, a + b); }},
    {"sub_sat", 2, [](Type t, Wide a, Wide b, Wide) { return saturate(t, a - b); }},
    {"hadd", 2, [](Type, Wide a, Wide b, Wide) { return (a + b) >> 1; }},
    {"rhadd", 2, [](Type, Wide a, Wide b, Wide) { return (a + b + 1) >> 1; }},
    {"max", 2, [](Type, Wide a, Wide b, Wide) { return a < b ? b : a; }},
    {"min", 2, [](Type, Wide a, Wide b, Wide) { return b < a ? b : a; }},
    {"mul_hi", 2, high},
    {"mad_hi", 3, [](Type t, Wide a, Wide b, Wide c) { return high(t, a, b, 0) + c; }},
    {"rotate", 2, rotated},
    {"bitselect", 3, [](Type, Wide a, Wide b, Wide c) { return (a & ~c) | (b & c); }},
    {"clz", 1,
     [](Type t, Wide a, Wide, Wide) {
         return static_cast<Wide>(std::countl_zero(pattern(t, a)) - 64 + static_cast<int>(bits_of(t)));
     }},
    {"popcount", 1,
     [](Type t, Wide a, Wide, Wide) { return static_cast<Wide>(std::popcount(pattern(t, a))); }},
};

/// Selects components of a vector, in any order and with repetition.
Expression components(const Expression& from, const std::vector<unsigned>& picked, const std::string& name) {
    const Shape shape{from.shape.type, static_cast<unsigned>(picked.size())};
    return {shape, from.text + "." + name, [=](const Model& model) {
                const Lanes in = from.value(model);
                Lanes out;
                for (std::size_t i = 0; i < random_items; ++i) {
                    for (const unsigned k : picked) {
                        out.push_back(in[i * from.shape.width + k]);
                    }
                }
                return out;
            }};
}

} // namespace

Shape ExpressionMaker::random_shape() {
    return {static_cast<Type>(random_below(8)), all_widths[random_below(3) == 0 ? 0 : random_below(6)]};
}

Expression ExpressionMaker::leaf(Shape shape) {
    std::vector<const Variable*> fitting;
    for (const Variable& v : scope) {
        if (v.shape == shape) {
            fitting.push_back(&v);
        }
    }
    if (!fitting.empty() && random_below(5) != 0) {
        const Variable& v = *fitting[random_below(fitting.size())];
        return {shape, v.text(), [name = v.name](const Model& model) { return model.variables.at(name); }};
    }
    const Value value = random_below(2) == 0
                            ? random_value(shape.type)
                            : edge_values(shape.type)[random_below(edge_values(shape.type).size())];
    // The least long cannot be written as a decimal literal.
    const auto bits = static_cast<unsigned long long>(pattern(shape.type, value.i));
    const std::string digits = std::to_string(bits) + "UL";
    return {shape,
            "(" + shape.name() + ")" +
                (is_unsigned(shape.type) ? digits : "(" + name_of(shape.type) + ")" + digits),
            [=](const Model&) { return Lanes(random_items * shape.width, value.i); }};
}

Expression ExpressionMaker::binary(Shape shape, unsigned depth) {
    const Expression a = any(shape, depth);
    const Expression b = any(shape, depth);
    const char op = "+-*&|^"[random_below(6)];
    Function compute = product;
    switch (op) {
    case '+':
        compute = [](Type, Wide x, Wide y, Wide) { return x + y; };
        break;
    case '-':
        compute = [](Type, Wide x, Wide y, Wide) { return x - y; };
        break;
    case '&':
        compute = [](Type, Wide x, Wide y, Wide) { return x & y; };
        break;
    case '|':
        compute = [](Type, Wide x, Wide y, Wide) { return x | y; };
        break;
    case '^':
        compute = [](Type, Wide x, Wide y, Wide) { return x ^ y; };
        break;
    default:
        break;
    }
    std::string left = a.text;
    std::string right = b.text;
    const bool arithmetic = op == '+' || op == '-' || op == '*';
    const bool direct =
        !arithmetic || (is_unsigned(shape.type) && (shape.width > 1 || size_of(shape.type) >= 4));
    if (!direct) { // signed overflow is undefined, so this computes with unsigned numbers
        const Type u = shape.width == 1 ? Type::u64 : integer_of(size_of(shape.type), false);
        const std::string cast = shape.width == 1 ? "(ulong)" : "as_" + name_of(u, shape.width);
        left = cast + "(" + left + ")";
        right = cast + "(" + right + ")";
    }
    const std::string text = left + " " + op + " " + right;
    const bool back = !direct && shape.width > 1;
    return componentwise(shape, back ? "as_" + shape.name() + "(" + text + ")" : typed(shape, text), {a, b},
                         compute);
}

Expression ExpressionMaker::shift(Shape shape, unsigned depth) {
    const Expression a = any(shape, depth);
    const Expression b = any(shape, depth);
    const bool left = random_below(2) == 0;
    const std::string text = typed(shape, a.text + (left ? " << " : " >> ") + b.text);
    const unsigned bits = shape.width == 1 ? std::max(32U, bits_of(shape.type)) : bits_of(shape.type);
    const auto count = [](Wide b_value, unsigned n) {
        return static_cast<int>(b_value & static_cast<Wide>(n - 1));
    };
    return {shape, text, [=](const Model& model) {
                Lanes x = a.value(model);
                const Lanes y = b.value(model);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const int n = count(y[i], bits);
                    x[i] = wrap(shape.type, left ? x[i] << n : x[i] >> n);
                }
                return x;
            }};
}

Expression ExpressionMaker::division(Shape shape, unsigned depth) {
    const Expression a = any(shape, depth);
    const Expression b = any(shape, depth);
    const bool rest = random_below(2) == 0;
    // Never 0 and never -1.
    const std::string divisor =
        typed(shape, b.text + " & ~(" + shape.name() + ")2 | (" + shape.name() + ")1");
    return componentwise(shape, typed(shape, a.text + (rest ? " % " : " / ") + divisor), {a, b},
                         rest ? remainder : quotient);
}

Expression ExpressionMaker::function(Shape shape, unsigned depth) {
    const Builtin& builtin = builtins[random_below(std::size(builtins))];
    std::vector<Expression> arguments;
    std::string text;
    for (unsigned i = 0; i < builtin.arguments; ++i) {
        arguments.push_back(any(shape, depth));
        text += (i == 0 ? "" : ", ") + arguments.back().text;
    }
    return componentwise(shape, std::string(builtin.name) + "(" + text + ")", arguments, builtin.function);
}

Expression ExpressionMaker::conversion(Shape shape, unsigned depth) {
    const Expression a = any({static_cast<Type>(random_below(8)), shape.width}, depth);
    if (size_of(a.shape.type) == size_of(shape.type) && random_below(2) == 0) {
        return componentwise(shape, "as_" + shape.name() + "(" + a.text + ")", {a},
                             [](Type, Wide x, Wide, Wide) { return x; });
    }
    const bool saturated = random_below(2) == 0;
    return {shape, "convert_" + shape.name() + (saturated ? "_sat(" : "(") + a.text + ")",
            [=](const Model& model) {
                Lanes x = a.value(model);
                for (Wide& v : x) {
                    v = saturated ? saturate(shape.type, v) : wrap(shape.type, v);
                }
                return x;
            }};
}

Expression ExpressionMaker::comparison(Shape shape, unsigned depth) {
    const Type type = shape.width == 1 ? static_cast<Type>(random_below(8))
                                       : integer_of(size_of(shape.type), random_below(2) != 0);
    const Expression a = any({type, shape.width}, depth);
    const Expression b = any({type, shape.width}, depth);
    const bool less = random_below(2) == 0;
    const std::string text = "(" + a.text + (less ? " < " : " == ") + b.text + ")";
    const Shape result{shape.width == 1 ? Type::i32 : integer_of(size_of(type), true), shape.width};
    const std::string converted = result == shape ? text : "convert_" + shape.name() + "(" + text + ")";
    return {shape, converted, [=](const Model& model) {
                Lanes x = a.value(model);
                const Lanes y = b.value(model);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const bool yes = less ? x[i] < y[i] : x[i] == y[i];
                    x[i] = wrap(shape.type, !yes ? 0 : shape.width == 1 ? 1 : -1);
                }
                return x;
            }};
}

Expression ExpressionMaker::choice(Shape shape, unsigned depth) {
    const Expression a = any(shape, depth);
    const Expression b = any(shape, depth);
    const Expression c = any({integer_of(size_of(shape.type), random_below(2) != 0), shape.width}, depth);
    const bool ternary = shape.width == 1 && random_below(2) == 0;
    const std::string text = ternary ? typed(shape, c.text + " ? " + b.text + " : " + a.text)
                                     : "select(" + a.text + ", " + b.text + ", " + c.text + ")";
    return {shape, text, [=](const Model& model) {
                Lanes x = a.value(model);
                const Lanes y = b.value(model);
                const Lanes z = c.value(model);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const bool second =
                        shape.width == 1 ? z[i] != 0
                                         : (pattern(c.shape.type, z[i]) >> (bits_of(c.shape.type) - 1)) != 0;
                    x[i] = second ? y[i] : x[i];
                }
                return x;
            }};
}

Expression ExpressionMaker::swizzle(Shape shape, unsigned depth) {
    if (shape.width <= 8 && shape.width != 3 && random_below(3) == 0) {
        const Expression a = any({shape.type, 2 * shape.width}, depth);
        const unsigned which = static_cast<unsigned>(random_below(4));
        static const char* const names[] = {"lo", "hi", "even", "odd"};
        std::vector<unsigned> picked;
        for (unsigned k = 0; k < shape.width; ++k) {
            picked.push_back(which == 0 ? k : which == 1 ? k + shape.width : 2 * k + which - 2);
        }
        return components({a.shape, "(" + a.text + ")", a.value}, picked, names[which]);
    }
    const Expression a = any({shape.type, all_widths[1 + random_below(5)]}, depth);
    std::vector<unsigned> picked;
    const bool letters = a.shape.width <= 4 && random_below(2) == 0;
    std::string name = letters ? "" : "s";
    for (unsigned k = 0; k < shape.width; ++k) {
        picked.push_back(static_cast<unsigned>(random_below(a.shape.width)));
        name += letters ? "xyzw"[picked.back()] : "0123456789abcdef"[picked.back()];
    }
    if (letters && shape.width > 4) {
        return a.shape == shape ? a : leaf(shape);
    }
    return components({a.shape, "(" + a.text + ")", a.value}, picked, name);
}

Expression ExpressionMaker::literal(Shape shape, unsigned depth) {
    std::vector<Expression> parts;
    std::string text;
    for (unsigned k = 0; k < shape.width;) {
        unsigned width = all_widths[random_below(4)];
        width = width > shape.width - k ? 1 : width;
        width = width == shape.width && width > 1 ? 1 : width;
        parts.push_back(any({shape.type, width}, depth));
        const std::string& part = parts.back().text;
        text += k == 0 ? part : limits.parentheses_in_literals ? ", (" + part + ")" : ", " + part;
        k += width;
    }
    return {shape, "(" + shape.name() + ")(" + text + ")", [=](const Model& model) {
                Lanes out(random_items * shape.width);
                unsigned k = 0;
                for (const Expression& part : parts) {
                    const Lanes in = part.value(model);
                    for (std::size_t i = 0; i < in.size(); ++i) {
                        out[i / part.shape.width * shape.width + k + i % part.shape.width] = in[i];
                    }
                    k += part.shape.width;
                }
                return out;
            }};
}

Expression ExpressionMaker::call(Shape shape, unsigned depth) {
    for (const Helper& helper : helpers) {
        if (!(helper.result == shape)) {
            continue;
        }
        std::vector<Expression> arguments;
        std::string text;
        for (const Variable& p : helper.parameters) {
            arguments.push_back(any(p.shape, depth));
            text += (text.empty() ? "" : ", ") + arguments.back().text;
        }
        return {shape, helper.name + "(" + text + ")", [=](const Model& model) {
                    Model inner;
                    for (std::size_t i = 0; i < arguments.size(); ++i) {
                        inner.variables[helper.parameters[i].name] = arguments[i].value(model);
                    }
                    return helper.body.value(inner);
                }};
    }
    return leaf(shape);
}

Expression ExpressionMaker::any(Shape shape, unsigned depth) {
    if (depth == 0 || random_below(8) == 0) {
        return leaf(shape);
    }
    ++made;
    --depth;
    switch (random_below(12)) {
    case 0:
    case 1:
        return function(shape, depth);
    case 2:
        return conversion(shape, depth);
    case 3:
        return comparison(shape, depth);
    case 4:
        return choice(shape, depth);
    case 5:
        return swizzle(shape, depth);
    case 6:
        return shape.width == 1 ? call(shape, depth) : literal(shape, depth);
    case 7:
        return shift(shape, depth);
    case 8:
        return division(shape, depth);
    case 9:
        return call(shape, depth);
    default:
        return binary(shape, depth);
    }
}

} // namespace kernels
