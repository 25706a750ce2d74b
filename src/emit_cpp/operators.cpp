// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

// Operators. A comparison is an int, the count of a shift is taken modulo the width of the shifted type.
namespace ferry::emit_cpp {

std::string_view Emitter::spelling(Op op) {
    switch (op) {
    case Op::add:
        return "+";
    case Op::subtract:
    case Op::minus:
        return "-";
    case Op::multiply:
        return "*";
    case Op::divide:
        return "/";
    case Op::remainder:
        return "%";
    case Op::shift_left:
        return "<<";
    case Op::shift_right:
        return ">>";
    case Op::bit_and:
        return "&";
    case Op::bit_or:
        return "|";
    case Op::bit_xor:
        return "^";
    case Op::less:
        return "<";
    case Op::greater:
        return ">";
    case Op::less_equal:
        return "<=";
    case Op::greater_equal:
        return ">=";
    case Op::equal:
        return "==";
    case Op::not_equal:
        return "!=";
    case Op::logical_and:
        return "&&";
    case Op::logical_or:
        return "||";
    case Op::complement:
        return "~";
    case Op::logical_not:
        return "!";
    case Op::pre_increment:
    case Op::post_increment:
        return "++";
    case Op::pre_decrement:
    case Op::post_decrement:
        return "--";
    case Op::none:
        break;
    }
    return "";
}

Level Emitter::level_of(Op op) {
    switch (op) {
    case Op::add:
    case Op::subtract:
        return Level::additive;
    case Op::shift_left:
    case Op::shift_right:
        return Level::shift;
    case Op::bit_and:
        return Level::bit_and;
    case Op::bit_or:
        return Level::bit_or;
    case Op::bit_xor:
        return Level::bit_xor;
    case Op::less:
    case Op::greater:
    case Op::less_equal:
    case Op::greater_equal:
        return Level::relational;
    case Op::equal:
    case Op::not_equal:
        return Level::equality;
    case Op::logical_and:
        return Level::logical_and;
    case Op::logical_or:
        return Level::logical_or;
    default:
        return Level::multiplicative;
    }
}

void Emitter::half_as_float(ExprId id) {
    words_.insert("fy_from_half");
    put("fy_from_half(");
    operand(id, Level::postfix);
    put(".fy_stored)");
}

void Emitter::binary(const Expr& e) {
    const Type left = type_of(e.a);
    if (is_comparison(e.op) && !types_.is_vector(left)) {
        put("int(");
        bare_condition(e);
        return put(")");
    }
    if (types_.is_pointer(left)) {
        return pointer_binary(e);
    }
    if (types_.is_vector(left) || is_half(left)) {
        words_.insert(std::string(spelling(e.op)));
    }
    if (types_.has_integers(left) && (e.op == Op::divide || e.op == Op::remainder)) {
        return quotient(e);
    }
    const Level own = level_of(e.op);
    operand(e.a, own);
    put(" ", spelling(e.op), " ");
    if (e.op == Op::shift_left || e.op == Op::shift_right) {
        return shift_count(e.b, left, after(own));
    }
    operand(e.b, after(own));
}

void Emitter::quotient(const Expr& e) {
    operand(e.a, Level::multiplicative);
    put(" ", spelling(e.op), " ");
    operand(e.b, Level::unary);
}

/// A pointer and an integer, or the distance of two pointers. Pointers to void count bytes.
void Emitter::pointer_binary(const Expr& e) {
    const Type pointer = type_of(e.a);
    const bool counts_bytes = types_.is_void(types_.element(pointer));
    const std::string bytes = counts_bytes ? "(const char*)" : "";
    if (types_.is_pointer(type_of(e.b))) {
        put(bytes);
        operand(e.a, counts_bytes ? Level::postfix : Level::additive);
        put(" - ", bytes);
        return operand(e.b, counts_bytes ? Level::postfix : Level::multiplicative);
    }
    put(counts_bytes ? "(" + type_name(pointer, e.token) + ")(" + bytes : "");
    operand(e.a, counts_bytes ? Level::postfix : Level::additive);
    put(" ", spelling(e.op), " ");
    operand(e.b, Level::multiplicative);
    put(counts_bytes ? ")" : "");
}

/// The count of a shift of this type. The operators of vectors limit it themselves, but take one type.
void Emitter::shift_count(ExprId count, Type shifted, Level least) {
    if (types_.is_vector(shifted)) {
        if (types_.scalar(type_of(count)) == types_.scalar(shifted)) {
            return operand(count, least);
        }
        const std::string name = "convert_" + type_name(shifted, 0);
        words_.insert(name);
        put(name, "(");
        value(count);
        return put(")");
    }
    const std::uint64_t width = 8 * types_.size(shifted);
    if (const auto known = constant_of(count); known && *known < width) {
        return put(std::to_string(*known));
    }
    put("(");
    operand(count, after(Level::bit_and));
    put(" & ", std::to_string(width - 1), ")");
}

/// A comparison, negation or logical operation of scalars as a bool.
void Emitter::bare_condition(const Expr& e) {
    if (e.kind == ExprKind::unary) {
        const ExprKind kind = expr(e.a).kind;
        const bool brackets = kind == ExprKind::binary || kind == ExprKind::logical ||
                              is_half(type_of(e.a)) || level(e.a) < Level::unary;
        put("!", brackets ? "(" : "");
        condition(e.a);
        return put(brackets ? ")" : "");
    }
    const Level own = level_of(e.op);
    if (e.kind == ExprKind::logical) {
        const auto side = [&](ExprId id) {
            const Expr& x = expr(id);
            const bool compares = x.kind == ExprKind::binary && is_comparison(x.op);
            const bool brackets =
                x.kind == ExprKind::logical ? x.op != e.op : !compares && level(id) < after(own);
            put(brackets ? "(" : "");
            condition(id);
            put(brackets ? ")" : "");
        };
        side(e.a);
        put(" ", spelling(e.op), " ");
        return side(e.b);
    }
    if (is_half(type_of(e.a))) {
        words_.insert(std::string(spelling(e.op)));
    }
    operand(e.a, after(own));
    put(" ", spelling(e.op), " ");
    operand(e.b, after(own));
}

void Emitter::unary(const Expr& e) {
    const bool is_vector = types_.is_vector(e.type);
    if (e.op == Op::logical_not && !is_vector) {
        put("int(");
        bare_condition(e);
        return put(")");
    }
    if (is_vector || is_half(e.type)) {
        words_.insert(std::string(spelling(e.op)));
    }
    put(spelling(e.op));
    operand(e.a, Level::postfix);
}

void Emitter::logical(const Expr& e) {
    if (!types_.is_vector(e.type)) {
        put("int(");
        bare_condition(e);
        return put(")");
    }
    words_.insert(std::string(spelling(e.op)));
    const Level own = level_of(e.op);
    operand(e.a, own);
    put(" ", spelling(e.op), " ");
    operand(e.b, after(own));
}

void Emitter::assign(const Expr& e) {
    if (types_.is_record(e.type) && (type_of(e.a).is_volatile() || type_of(e.b).is_volatile())) {
        refuse(e.token, "a volatile struct cannot be assigned on this device; assign its members");
    }
    place(e.a);
    put(" = ");
    operand(e.b, Level::assignment);
}

/// Whether C++ has no such operation on the object: half, pointers to void, and bool for ++.
bool Emitter::needs_general_form(const Expr& e) const {
    const Type own = type_of(e.a);
    const bool steps = e.kind == ExprKind::step;
    return is_half(own) || (!steps && is_half(Type(e.index >> 8))) ||
           (types_.is_pointer(own) && types_.is_void(types_.element(own))) ||
           (steps && types_.is(own, TypeKind::bool_));
}

/// C++ promotes and converts the operands of a compound assignment of scalars as C does.
void Emitter::compound(const Expr& e) {
    const Type computed(e.index >> 8);
    if (needs_general_form(e)) {
        return general_compound(e);
    }
    if (types_.has_integers(computed) && (e.op == Op::divide || e.op == Op::remainder)) {
        return compound_quotient(e);
    }
    plain_compound(e);
}

void Emitter::compound_quotient(const Expr& e) {
    plain_compound(e);
}

void Emitter::plain_compound(const Expr& e) {
    const Type own = type_of(e.a);
    const Type computed(e.index >> 8);
    if (types_.is_vector(own)) {
        words_.insert(std::string(spelling(e.op)));
        if (types_.scalar(own) != types_.scalar(computed)) {
            refuse(e.token, "this compound assignment has no form in C++");
        }
    }
    place(e.a);
    put(" ", spelling(e.op), "= ");
    if (e.op == Op::shift_left || e.op == Op::shift_right) {
        return shift_count(e.b, types_.is_vector(own) ? own : computed, Level::assignment);
    }
    operand(e.b, Level::assignment);
}

/// Evaluates the object once: its address is the argument of a function object. A reference would not do for
/// members of packed records.
void Emitter::general_compound(const Expr& e) {
    const Type own = type_of(e.a).plain();
    const Type computed(e.index >> 8);
    put("[&](", declared(type_of(e.a), "*fy_x", e.token), ") { return *fy_x = ");
    if (types_.is_pointer(own)) {
        put("(", type_name(own, e.token), ")((const char*)*fy_x ", spelling(e.op), " ");
        operand(e.b, Level::multiplicative);
        put(")");
    } else if (is_half(computed) && !is_half(own)) {
        words_.insert({"fy_halved", "fy_from_half", std::string(spelling(e.op))});
        put(type_name(own, e.token), "(fy_from_half((fy_halved<0>(*fy_x) ", spelling(e.op), " fy_halved<0>(");
        operand(e.b, Level::assignment);
        put(")).fy_stored))");
    } else {
        words_.insert("fy_to_half");
        words_.insert("fy_from_half");
        const std::string name = is_half(computed) ? "float" : type_name(computed, e.token);
        put(is_half(own) ? "half{fy_to_half<0>(" : type_name(own, e.token) + "(", name, "(",
            is_half(own) ? "fy_from_half(fy_x->fy_stored)" : "*fy_x", ") ", spelling(e.op), " ");
        is_half(computed) ? half_as_float(e.b) : operand(e.b, Level::unary);
        put(is_half(own) ? ")}" : ")");
    }
    put("; }(&");
    place(e.a);
    put(")");
}

void Emitter::general_step(const Expr& e) {
    const bool before = e.op == Op::pre_increment || e.op == Op::pre_decrement;
    const bool adds = e.op == Op::pre_increment || e.op == Op::post_increment;
    put("[&](", declared(type_of(e.a), "*fy_x", e.token), ") { const auto fy_old = *fy_x; *fy_x = ");
    if (types_.is(e.type, TypeKind::bool_)) {
        put(adds ? "true" : "!fy_old");
    } else if (is_half(e.type)) {
        words_.insert("fy_to_half");
        words_.insert("fy_from_half");
        put("half{fy_to_half<0>(fy_from_half(fy_old.fy_stored) ", adds ? "+" : "-", " 1.0f)}");
    } else {
        put("(", type_name(e.type, e.token), ")((const char*)fy_old ", adds ? "+" : "-", " 1)");
    }
    put(before ? "; return *fy_x; }(&" : "; return fy_old; }(&");
    place(e.a);
    put(")");
}

void Emitter::step(const Expr& e) {
    const bool before = e.op == Op::pre_increment || e.op == Op::pre_decrement;
    if (needs_general_form(e)) {
        return general_step(e);
    }
    if (types_.is_vector(e.type)) {
        words_.insert(std::string(spelling(e.op)));
    }
    put(before ? spelling(e.op) : "");
    const bool brackets = expr(e.a).kind == ExprKind::dereference;
    put(brackets ? "(" : "");
    place(e.a);
    put(brackets ? ")" : "", before ? "" : spelling(e.op));
}

} // namespace ferry::emit_cpp
