// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <bit>
#include <cmath>

// Evaluates constant expressions by the rules of C, for initializers in constant memory.
namespace ferry::emit_spirv {
namespace {

using opencl_c::Op;

double real_of(std::uint64_t bits) {
    return std::bit_cast<double>(bits);
}

std::uint64_t bits_of(TypeKind kind, double value) {
    return std::bit_cast<std::uint64_t>(
        kind == TypeKind::float_ ? static_cast<double>(static_cast<float>(value)) : value);
}

/// A value in the representation of its integer type, sign-extended to 64 bits.
std::uint64_t held(TypeKind kind, bool is_signed, std::uint64_t value) {
    const unsigned unused = 64 - 8 * opencl_c::size_of(kind);
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused)
                     : value << unused >> unused;
}

std::optional<double> calculated(Op op, double a, double b) {
    switch (op) {
    case Op::add:
        return a + b;
    case Op::subtract:
        return a - b;
    case Op::multiply:
        return a * b;
    case Op::divide:
        return a / b;
    default:
        return std::nullopt;
    }
}

std::optional<bool> compared(Op op, auto a, auto b) {
    switch (op) {
    case Op::less:
        return a < b;
    case Op::greater:
        return a > b;
    case Op::less_equal:
        return a <= b;
    case Op::greater_equal:
        return a >= b;
    case Op::equal:
        return a == b;
    case Op::not_equal:
        return a != b;
    default:
        return std::nullopt;
    }
}

std::optional<std::uint64_t> calculated(Op op, bool is_signed, unsigned bits, std::uint64_t a,
                                        std::uint64_t b) {
    const auto x = static_cast<std::int64_t>(a);
    const auto y = static_cast<std::int64_t>(b);
    switch (op) {
    case Op::add:
        return a + b;
    case Op::subtract:
        return a - b;
    case Op::multiply:
        return a * b;
    case Op::divide:
    case Op::remainder: {
        const bool divides = op == Op::divide;
        if (b == 0) {
            return std::nullopt;
        }
        if (is_signed && y == -1) {
            return divides ? 0 - a : 0;
        }
        return is_signed ? static_cast<std::uint64_t>(divides ? x / y : x % y) : divides ? a / b : a % b;
    }
    case Op::shift_left:
        return a << (b & (bits - 1));
    case Op::shift_right:
        return is_signed ? static_cast<std::uint64_t>(x >> (b & (bits - 1))) : a >> (b & (bits - 1));
    case Op::bit_and:
        return a & b;
    case Op::bit_or:
        return a | b;
    case Op::bit_xor:
        return a ^ b;
    default:
        return std::nullopt;
    }
}

} // namespace

Lanes Emitter::cast(const Lanes& from, Shape source, Shape target) const {
    Lanes made;
    for (const std::uint64_t one : from) {
        if (is_floating(target.kind)) {
            // A float is rounded once, and not by way of a double.
            const auto integer = [&](auto number) {
                return target.kind == TypeKind::float_ ? static_cast<double>(static_cast<float>(number))
                                                       : static_cast<double>(number);
            };
            const double value = is_floating(source.kind) ? real_of(one)
                                 : is_signed(source.kind) ? integer(static_cast<std::int64_t>(one))
                                                          : integer(one);
            made.push_back(bits_of(target.kind, value));
        } else {
            std::uint64_t value = one;
            if (is_floating(source.kind)) {
                const double real = real_of(one);
                const bool fits = real >= -0x1p63 && real < 0x1p64; // In C, other values are undefined.
                value = !fits           ? 0
                        : real < 0x1p63 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(real))
                                        : static_cast<std::uint64_t>(real);
            }
            made.push_back(held(target.kind, is_signed(target.kind), value));
        }
    }
    if (made.size() == 1 && target.lanes > 1) {
        made.resize(target.lanes, made[0]);
    }
    return made;
}

std::optional<Lanes> Emitter::folded(ExprId id) const {
    const Expr& x = expr(id);
    if (!types_.is_arithmetic(x.type) && !types_.is_vector(x.type)) {
        return std::nullopt;
    }
    switch (x.kind) {
    case ExprKind::integer:
    case ExprKind::floating:
        return Lanes{x.constant};
    case ExprKind::convert: {
        if (x.conversion == Conversion::load) {
            const Expr& from = expr(x.a);
            const bool fixed = from.type.is_const() || from.type.space() == Space::constant;
            const ExprId initial = from.kind == ExprKind::variable ? tree_.variables[from.index].initial : 0;
            return fixed && initial != 0 ? folded(initial) : std::nullopt;
        }
        const auto a = folded(x.a);
        if (!a) {
            return std::nullopt;
        }
        if (types_.is(x.type, TypeKind::bool_)) {
            const bool real = is_floating(shape(type_of(x.a)).kind);
            return Lanes{(real ? real_of((*a)[0]) != 0 : (*a)[0] != 0) ? 1U : 0U};
        }
        const bool casts = x.conversion == Conversion::arithmetic || x.conversion == Conversion::splat ||
                           x.conversion == Conversion::none;
        return casts ? std::optional(cast(*a, shape(type_of(x.a)), shape(x.type))) : std::nullopt;
    }
    case ExprKind::vector:
        return folded_vector(x);
    case ExprKind::swizzle: {
        const auto a = folded(x.a);
        Lanes made;
        const Swizzle& s = tree_.swizzles[x.index];
        for (unsigned i = 0; a && i < s.count; ++i) {
            made.push_back(s.components[i] < a->size() ? (*a)[s.components[i]] : 0);
        }
        return a ? std::optional(made) : std::nullopt;
    }
    case ExprKind::conditional: {
        const auto a = folded(x.a);
        if (!a || a->size() != 1) {
            return std::nullopt;
        }
        return folded(((*a)[0] << (is_floating(shape(type_of(x.a)).kind) ? 1 : 0)) != 0 ? x.b : x.c);
    }
    case ExprKind::unary: {
        auto a = folded(x.a);
        const Shape s = shape(type_of(x.a));
        for (std::size_t i = 0; a && i < a->size(); ++i) {
            std::uint64_t& v = (*a)[i];
            const bool real = is_floating(s.kind);
            if (x.op == Op::logical_not) {
                const bool zero = real ? real_of(v) == 0 : v == 0;
                v = zero ? (s.lanes > 1 ? ~std::uint64_t{0} : 1) : 0;
            } else if (real) {
                v = std::bit_cast<std::uint64_t>(-real_of(v));
            } else {
                v = held(s.kind, is_signed(s.kind), x.op == Op::complement ? ~v : 0 - v);
            }
        }
        return a;
    }
    case ExprKind::logical: {
        const auto a = folded(x.a);
        const auto b = folded(x.b);
        if (!a || !b || a->size() != 1) {
            return std::nullopt;
        }
        const auto truth = [&](std::uint64_t v, ExprId of) {
            return is_floating(shape(type_of(of)).kind) ? real_of(v) != 0 : v != 0;
        };
        const bool left = truth((*a)[0], x.a);
        const bool right = truth((*b)[0], x.b);
        return Lanes{(x.op == Op::logical_and ? left && right : left || right) ? 1U : 0U};
    }
    case ExprKind::binary:
        return folded_binary(x);
    default:
        return std::nullopt;
    }
}

std::optional<Lanes> Emitter::folded_vector(const Expr& e) const {
    Lanes made;
    for (const ExprId item : tree_.items(e.list)) {
        const auto part = folded(item);
        if (!part) {
            return std::nullopt;
        }
        made.insert(made.end(), part->begin(), part->end());
    }
    return made;
}

std::optional<Lanes> Emitter::folded_binary(const Expr& x) const {
    const auto a = folded(x.a);
    const auto b = folded(x.b);
    if (!a || !b || a->size() != b->size()) {
        return std::nullopt;
    }
    const Shape s = shape(type_of(x.a));
    Lanes made;
    for (std::size_t i = 0; i < a->size(); ++i) {
        const std::uint64_t left = (*a)[i];
        const std::uint64_t right = (*b)[i];
        const bool real = is_floating(s.kind);
        const auto truth = real                ? compared(x.op, real_of(left), real_of(right))
                           : is_signed(s.kind) ? compared(x.op, static_cast<std::int64_t>(left),
                                                          static_cast<std::int64_t>(right))
                                               : compared(x.op, left, right);
        if (truth) {
            made.push_back(!*truth ? 0 : s.lanes > 1 ? ~std::uint64_t{0} : 1);
        } else if (real) {
            const auto value = calculated(x.op, real_of(left), real_of(right));
            if (!value) {
                return std::nullopt;
            }
            made.push_back(bits_of(s.kind, *value));
        } else {
            const auto value =
                calculated(x.op, is_signed(s.kind), 8 * opencl_c::size_of(s.kind), left, right);
            if (!value) {
                return std::nullopt;
            }
            made.push_back(held(s.kind, is_signed(s.kind), *value));
        }
    }
    return made;
}

} // namespace ferry::emit_spirv
