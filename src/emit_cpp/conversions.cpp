// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

// Conversions. Each one is a node of the tree.
namespace ferry::emit_cpp {

void Emitter::load(const Expr& e) {
    const Type from = type_of(e.a);
    if (from.is_volatile() && types_.is_record(from)) {
        refuse(e.token, "a volatile struct cannot be read on this device; read its members");
    }
    if (expr(e.a).kind == ExprKind::swizzle) {
        return swizzle(tree_.swizzles[expr(e.a).index], expr(e.a).a, e.token, false);
    }
    if (from.is_volatile() && types_.is_vector(from)) {
        put(type_name(from, e.token), "(");
        place(e.a);
        return put(")");
    }
    place(e.a);
}

void Emitter::arithmetic(const Expr& e) {
    const Type from = type_of(e.a);
    if (types_.is_vector(e.type)) {
        const std::string name = "convert_" + type_name(e.type, e.token);
        words_.insert(name);
        put(name, "(");
        operand(e.a, Level::assignment);
        return put(")");
    }
    if (types_.value_type(from) == types_.value_type(e.type)) {
        return operand(e.a, Level::postfix);
    }
    if (is_half(e.type)) {
        words_.insert("fy_halved");
        put("fy_halved<0>(");
        operand(e.a, Level::assignment);
        return put(")");
    }
    const std::string name = type_name(e.type, e.token);
    if (is_half(from)) {
        const bool is_float = types_.is(e.type, TypeKind::float_);
        const bool is_bool = types_.is(e.type, TypeKind::bool_);
        put(is_bool ? "(" : is_float ? "" : name + "(");
        half_as_float(e.a);
        return put(is_bool ? " != 0.0f)" : is_float ? "" : ")");
    }
    put(name, "(");
    if (types_.is(e.type, TypeKind::bool_)) {
        condition(e.a);
    } else {
        operand(e.a, Level::assignment);
    }
    put(")");
}

void Emitter::conversion(const Expr& e) {
    switch (e.conversion) {
    case Conversion::none:
        return value(e.a);
    case Conversion::load:
        return load(e);
    case Conversion::decay:
        return place(e.a);
    case Conversion::arithmetic:
        return arithmetic(e);
    case Conversion::splat:
        put(type_name(e.type, e.token), "(");
        operand(e.a, Level::assignment);
        return put(")");
    case Conversion::from_null:
        return put("(", type_name(e.type, e.token), ")0");
    case Conversion::pointer:
    case Conversion::to_pointer:
        put("(", type_name(e.type, e.token), ")");
        return operand(e.a, Level::postfix);
    case Conversion::to_integer: {
        const std::string name = type_name(e.type, e.token);
        put(name, name == "ulong" ? "(" : "(ulong(");
        operand(e.a, Level::assignment);
        return put(name == "ulong" ? ")" : "))");
    }
    case Conversion::to_bool:
        put("bool(");
        operand(e.a, Level::assignment);
        return put(")");
    case Conversion::reinterpret:
        if (types_.is(e.type, TypeKind::event)) {
            return put("event_t(0)");
        }
        words_.insert("fy_bits");
        put("fy_bits<", type_name(e.type, e.token), ">(");
        operand(e.a, Level::assignment);
        return put(")");
    case Conversion::drop:
        put("void(");
        effects(e.a);
        return put(")");
    }
}

} // namespace ferry::emit_cpp
