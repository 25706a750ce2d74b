// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>

namespace ferry::opencl_c {

std::uint64_t Parser::truncated(std::uint64_t value, Type type) const {
    const TypeKind kind = types_.integer_kind(type);
    if (kind == TypeKind::bool_) {
        return value != 0 ? 1 : 0;
    }
    const unsigned bits = 8 * size_of(kind);
    if (bits >= 64) {
        return value;
    }
    const std::uint64_t low = value & ((std::uint64_t{1} << bits) - 1);
    const bool negative = types_.is_signed(type) && ((low >> (bits - 1)) & 1) != 0;
    return negative ? low | ~((std::uint64_t{1} << bits) - 1) : low;
}

std::optional<std::int64_t> Parser::evaluate(ExprId e) const {
    const Expr& x = tree_.exprs[e];
    const auto result = [&](std::uint64_t v) {
        return std::optional(static_cast<std::int64_t>(truncated(v, x.type)));
    };
    if (!types_.is_integer(x.type)) {
        return std::nullopt;
    }
    const auto operand = [&](ExprId id) { return evaluate(id); };
    switch (x.kind) {
    case ExprKind::integer:
        return static_cast<std::int64_t>(x.constant);
    case ExprKind::convert: {
        if (x.conversion != Conversion::arithmetic) {
            return std::nullopt;
        }
        const Expr& from = tree_.exprs[x.a];
        if (from.kind == ExprKind::floating) {
            double number = 0;
            static_assert(sizeof number == sizeof from.constant);
            std::copy_n(reinterpret_cast<const char*>(&from.constant), sizeof number,
                        reinterpret_cast<char*>(&number));
            if (types_.is(x.type, TypeKind::bool_)) {
                return number != 0 ? 1 : 0;
            }
            if (number > -9.2e18 && number < 9.2e18) {
                return result(static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
            }
            return std::nullopt;
        }
        const auto a = operand(x.a);
        return a ? result(static_cast<std::uint64_t>(*a)) : std::nullopt;
    }
    case ExprKind::unary: {
        const auto a = operand(x.a);
        if (!a) {
            return std::nullopt;
        }
        const auto u = static_cast<std::uint64_t>(*a);
        return result(x.op == Op::minus ? 0 - u : x.op == Op::complement ? ~u : (u == 0 ? 1U : 0U));
    }
    case ExprKind::logical: {
        const auto a = operand(x.a);
        if (!a) {
            return std::nullopt;
        }
        if ((*a != 0) == (x.op == Op::logical_or)) {
            return x.op == Op::logical_or ? 1 : 0;
        }
        const auto b = operand(x.b);
        return b ? std::optional<std::int64_t>(*b != 0 ? 1 : 0) : std::nullopt;
    }
    case ExprKind::conditional: {
        const auto a = operand(x.a);
        return a ? operand(*a != 0 ? x.b : x.c) : std::nullopt;
    }
    case ExprKind::binary:
        break;
    default:
        return std::nullopt;
    }
    const auto left = operand(x.a);
    const auto right = operand(x.b);
    if (!left || !right) {
        return std::nullopt;
    }
    const auto a = static_cast<std::uint64_t>(*left);
    const auto b = static_cast<std::uint64_t>(*right);
    const Type type = tree_.exprs[x.a].type;
    const bool is_signed = types_.is_signed(type);
    const unsigned bits = 8 * size_of(types_.integer_kind(type));
    const bool less = is_signed ? *left < *right : a < b;
    switch (x.op) {
    case Op::add:
        return result(a + b);
    case Op::subtract:
        return result(a - b);
    case Op::multiply:
        return result(a * b);
    case Op::divide:
    case Op::remainder:
        if (b == 0) {
            return std::nullopt;
        }
        if (is_signed) {
            if (*right == -1) {
                return result(x.op == Op::divide ? 0 - a : 0);
            }
            return result(static_cast<std::uint64_t>(x.op == Op::divide ? *left / *right : *left % *right));
        }
        return result(x.op == Op::divide ? a / b : a % b);
    case Op::shift_left:
        return result(a << (b & (bits - 1)));
    case Op::shift_right:
        return result(is_signed ? static_cast<std::uint64_t>(*left >> (b & (bits - 1)))
                                : a >> (b & (bits - 1)));
    case Op::bit_and:
        return result(a & b);
    case Op::bit_or:
        return result(a | b);
    case Op::bit_xor:
        return result(a ^ b);
    case Op::less:
        return less ? 1 : 0;
    case Op::greater_equal:
        return less ? 0 : 1;
    case Op::greater:
        return !less && a != b ? 1 : 0;
    case Op::less_equal:
        return less || a == b ? 1 : 0;
    case Op::equal:
        return a == b ? 1 : 0;
    case Op::not_equal:
        return a != b ? 1 : 0;
    default:
        return std::nullopt;
    }
}

bool Parser::is_constant(ExprId e) const {
    if (e == 0) {
        return true;
    }
    const Expr& x = tree_.exprs[e];
    const auto all = [&](ExprId id) { return is_constant(id); };
    switch (x.kind) {
    case ExprKind::error: // Already reported.
    case ExprKind::integer:
    case ExprKind::floating:
    case ExprKind::string:
        return true;
    case ExprKind::variable:
        return false;
    case ExprKind::address:
    case ExprKind::element:
    case ExprKind::member: {
        // The address of an object in constant memory is a constant.
        ExprId base = x.a;
        while (tree_.exprs[base].kind == ExprKind::element || tree_.exprs[base].kind == ExprKind::member ||
               (tree_.exprs[base].kind == ExprKind::convert &&
                tree_.exprs[base].conversion == Conversion::decay)) {
            base = tree_.exprs[base].a;
        }
        return tree_.exprs[base].kind == ExprKind::variable &&
               tree_.exprs[base].type.space() == Space::constant;
    }
    case ExprKind::convert:
        if (x.conversion == Conversion::decay) {
            const Expr& from = tree_.exprs[x.a];
            return from.kind == ExprKind::string ||
                   (from.kind == ExprKind::variable && from.type.space() == Space::constant);
        }
        // The value of a constant variable is constant, as in clang.
        if (x.conversion == Conversion::load) {
            const Expr& from = tree_.exprs[x.a];
            const bool fixed = from.type.is_const() || from.type.space() == Space::constant;
            if (from.kind != ExprKind::variable || !fixed) {
                return false;
            }
            const ExprId initial = tree_.variables[from.index].initial;
            const bool is_within = initial >= e; // This expression is a part of the initializer.
            return initial != 0 && !is_within && is_constant(initial);
        }
        return is_constant(x.a);
    case ExprKind::unary:
        return is_constant(x.a);
    case ExprKind::binary:
    case ExprKind::logical:
        return is_constant(x.a) && is_constant(x.b);
    case ExprKind::conditional:
        return is_constant(x.a) && is_constant(x.b) && is_constant(x.c);
    case ExprKind::swizzle:
        return is_constant(x.a);
    case ExprKind::vector:
    case ExprKind::initialiser: {
        const auto items = tree_.items(x.list);
        return std::all_of(items.begin(), items.end(), all);
    }
    case ExprKind::compound_literal:
        return is_constant(tree_.variables[x.index].initial);
    default:
        return false;
    }
}

std::uint64_t Parser::constant_expression(const char* what, bool& is_signed) {
    const ExprId e = value(conditional());
    is_signed = true;
    if (is_bad(e)) {
        return 1;
    }
    const auto number = evaluate(e);
    if (!number) {
        error(token_of(e), std::string(what) + " must be an integer constant");
        return 1;
    }
    is_signed = types_.is_signed(type_of(e));
    return static_cast<std::uint64_t>(*number);
}

} // namespace ferry::opencl_c
