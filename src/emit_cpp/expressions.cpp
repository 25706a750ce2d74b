// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "translate/prelude.hpp"

#include <algorithm>

// Expressions. The C++ type of each one is the type that the tree gives it, so no rule of C++ converts
// anything.
namespace ferry::emit_cpp {
namespace {

constexpr std::string_view components[] = {"x",  "y",  "z",  "w",  "s4", "s5", "s6", "s7",
                                           "s8", "s9", "sa", "sb", "sc", "sd", "se", "sf"};

} // namespace

void Emitter::operand(ExprId id, Level least) {
    const bool brackets = level(id) < least;
    put(brackets ? "(" : "");
    value(id);
    put(brackets ? ")" : "");
}

/// The level of the text that value() writes.
Level Emitter::level(ExprId id) const {
    const Expr& e = expr(id);
    const bool is_vector = types_.is_vector(e.type);
    switch (e.kind) {
    case ExprKind::integer:
        return static_cast<std::int64_t>(e.constant) < 0 && types_.is_signed(e.type) ? Level::unary
                                                                                     : Level::postfix;
    case ExprKind::floating:
        return (e.constant >> 63) != 0 ? Level::unary : Level::postfix;
    case ExprKind::dereference:
    case ExprKind::address:
        return Level::unary;
    case ExprKind::unary:
        return e.op == Op::logical_not && !is_vector ? Level::postfix : Level::unary;
    case ExprKind::step:
        return e.op == Op::pre_increment || e.op == Op::pre_decrement ? Level::unary : Level::postfix;
    case ExprKind::binary:
        if (is_comparison(e.op) && !is_vector) {
            return Level::postfix;
        }
        return types_.is_pointer(e.type) && types_.is_void(types_.element(e.type)) ? Level::unary
                                                                                   : level_of(e.op);
    case ExprKind::logical:
        return is_vector ? level_of(e.op) : Level::postfix;
    case ExprKind::assign:
    case ExprKind::compound:
        return Level::assignment;
    case ExprKind::conditional:
        return types_.is_vector(type_of(e.a)) ? Level::postfix : Level::conditional;
    case ExprKind::comma:
        return Level::comma;
    case ExprKind::vector:
        return tree_.items(e.list).size() == 1 && type_of(tree_.items(e.list)[0]).plain() == e.type.plain()
                   ? level(tree_.items(e.list)[0])
                   : Level::postfix;
    case ExprKind::convert:
        switch (e.conversion) {
        case Conversion::none:
        case Conversion::decay:
        case Conversion::load:
            return level(e.a);
        case Conversion::pointer:
        case Conversion::from_null:
        case Conversion::to_pointer:
            return Level::unary;
        default:
            return Level::postfix;
        }
    default:
        return Level::postfix;
    }
}

void Emitter::value(ExprId id) {
    const Expr& e = expr(id);
    out_->at(tree_.place(e.token));
    if (types_.is(types_.scalar(e.type), TypeKind::double_)) {
        words_.insert("double");
    } else if (is_half(types_.scalar(e.type))) {
        words_.insert(std::string(translate::half_arithmetic));
    }
    switch (e.kind) {
    case ExprKind::error:
        refuse(e.token, "this expression has no form in C++");
    case ExprKind::integer:
    case ExprKind::floating:
        return literal(e);
    case ExprKind::string:
    case ExprKind::variable:
    case ExprKind::element:
    case ExprKind::member:
    case ExprKind::dereference:
    case ExprKind::compound_literal:
        return place(id);
    case ExprKind::swizzle:
        return swizzle(tree_.swizzles[e.index], e.a, e.token, false);
    case ExprKind::address:
        put("&");
        place(e.a);
        return;
    case ExprKind::unary:
        return unary(e);
    case ExprKind::step:
        return step(e);
    case ExprKind::binary:
        return binary(e);
    case ExprKind::logical:
        return logical(e);
    case ExprKind::assign:
        return assign(e);
    case ExprKind::compound:
        return compound(e);
    case ExprKind::conditional:
        return conditional(e);
    case ExprKind::comma:
        effects(e.a);
        put(", ");
        return operand(e.b, Level::assignment);
    case ExprKind::call:
        return call(e);
    case ExprKind::builtin:
        return builtin(e);
    case ExprKind::vector:
        return vector(e);
    case ExprKind::initialiser:
        if (!types_.is_record(e.type) || !is_plain(id)) {
            refuse(e.token, "this initialiser has no form in C++");
        }
        put(type_name(e.type, e.token));
        return initialise(id, e.type);
    case ExprKind::statements:
        return statements(e);
    case ExprKind::convert:
        return conversion(e);
    }
}

/// Writes an lvalue as an lvalue of C++, or another expression as its value in brackets if necessary.
void Emitter::place(ExprId id) {
    const Expr& e = expr(id);
    switch (e.kind) {
    case ExprKind::string:
        return string(tree_.strings[e.index]);
    case ExprKind::variable:
        return put(variable_name(e.index));
    case ExprKind::element:
        return element(e);
    case ExprKind::member:
        return member(e);
    case ExprKind::swizzle:
        return swizzle(tree_.swizzles[e.index], e.a, e.token, true);
    case ExprKind::dereference:
        put("*");
        return operand(e.a, Level::postfix);
    case ExprKind::compound_literal:
        return compound_literal(e);
    default:
        return operand(id, Level::postfix);
    }
}

/// Writes a scalar that decides a branch: its C++ type may be bool.
void Emitter::condition(ExprId id) {
    const Expr& e = expr(id);
    const bool compares = e.kind == ExprKind::binary && is_comparison(e.op);
    const bool negates = e.kind == ExprKind::unary && e.op == Op::logical_not;
    if (compares || negates || e.kind == ExprKind::logical) {
        out_->at(tree_.place(e.token));
        return bare_condition(e);
    }
    if (is_half(e.type)) {
        half_as_float(id);
        return put(" != 0.0f");
    }
    operand(id, Level::assignment);
}

/// Writes an expression that is evaluated for its effects. It never looks like a declaration.
void Emitter::effects(ExprId id) {
    const Expr& e = expr(id);
    switch (e.kind) {
    case ExprKind::convert:
        return effects(e.a);
    case ExprKind::assign:
    case ExprKind::compound:
    case ExprKind::step:
    case ExprKind::call:
    case ExprKind::builtin:
        return value(id);
    case ExprKind::comma:
        effects(e.a);
        put(", ");
        return effects(e.b);
    default:
        put("(void)");
        return operand(id, Level::unary);
    }
}

void Emitter::element(const Expr& e) {
    const Type base = type_of(e.a);
    if (!types_.is_vector(base)) {
        operand(e.a, Level::postfix);
        put("[");
        operand(e.b, Level::assignment);
        return put("]");
    }
    if (const auto index = constant_of(e.b); index && *index < types_.lanes(base)) {
        return swizzle({1, {static_cast<std::uint8_t>(*index)}}, e.a, e.token, expr(e.a).lvalue);
    }
    const std::string element(opencl_c::name_of(types_.kind(types_.scalar(base))));
    if (!expr(e.a).lvalue || expr(e.a).kind == ExprKind::swizzle) {
        words_.insert("fy_choose");
        put("fy_choose<0, ", std::to_string(types_.lanes(base)), ">(");
        operand(e.a, Level::assignment);
        put(", int(");
        value(e.b);
        return put("))");
    }
    put("((", base.is_const() || base.space() == Space::constant ? "const " : "",
        base.is_volatile() ? "volatile " : "", element, "*)&");
    place(e.a);
    put(")[");
    operand(e.b, Level::assignment);
    put("]");
}

void Emitter::member(const Expr& e) {
    if (expr(e.a).kind == ExprKind::dereference) {
        operand(expr(e.a).a, Level::postfix);
        put("->");
    } else {
        expr(e.a).lvalue ? place(e.a) : operand(e.a, Level::postfix);
        put(".");
    }
    put(member_name(type_of(e.a).plain(), e.index, e.token));
}

/// Writes components of a vector: one as a member, several as a call. Swizzles of swizzles are one swizzle.
void Emitter::swizzle(Swizzle s, ExprId base, std::uint32_t token, bool lvalue) {
    while (expr(base).kind == ExprKind::swizzle) {
        const Swizzle& outer = tree_.swizzles[expr(base).index];
        for (unsigned i = 0; i < s.count; ++i) {
            s.components[i] = s.components[i] < outer.count ? outer.components[s.components[i]] : 15;
        }
        base = expr(base).a;
    }
    const unsigned lanes = types_.lanes(type_of(base));
    static_cast<void>(type_name(type_of(base), token));
    const bool pointed = expr(base).kind == ExprKind::dereference;
    if (pointed) {
        operand(expr(base).a, Level::postfix);
    } else {
        expr(base).lvalue ? place(base) : operand(base, Level::postfix);
    }
    put(pointed ? "->" : ".");
    if (s.count == 1) { // A component past the end of a vector of three is undefined.
        return put(components[std::min<unsigned>(s.components[0], lanes - 1)]);
    }
    put(lvalue ? "fy_ref<" : "fy_get<");
    for (unsigned i = 0; i < s.count; ++i) {
        put(i == 0 ? "" : ", ", std::to_string(s.components[i]));
    }
    put(">()");
    words_.insert("fy_vec" + std::to_string(s.count));
    words_.insert(lvalue ? "fy_ref" : "fy_get");
}

void Emitter::arguments(const Expr& e, bool first) {
    for (const ExprId a : tree_.items(e.list)) {
        put(first ? "" : ", ");
        operand(a, Level::assignment);
        first = false;
    }
}

void Emitter::call(const Expr& e) {
    put(function_name(e.index), "(");
    const bool own = !own_parameter(e.index).empty();
    put(own ? "fy_" : "");
    arguments(e, !own);
    put(")");
}

void Emitter::vector(const Expr& e) {
    const auto items = tree_.items(e.list);
    if (items.size() == 1 && type_of(items[0]).plain() == e.type.plain()) {
        return value(items[0]);
    }
    put(type_name(e.type, e.token), "(");
    arguments(e);
    put(")");
}

void Emitter::conditional(const Expr& e) {
    if (types_.is_vector(type_of(e.a))) {
        words_.insert("fy_choose_each");
        put("fy_choose_each(");
        operand(e.a, Level::assignment);
        put(", ");
        operand(e.b, Level::assignment);
        put(", ");
        operand(e.c, Level::assignment);
        return put(")");
    }
    const bool compares = expr(e.a).kind == ExprKind::conditional || level(e.a) < Level::logical_or;
    put(compares ? "(" : "");
    condition(e.a);
    put(compares ? ")" : "");
    const bool has_value = !types_.is_void(e.type);
    put(" ? ");
    const auto branch = [&](ExprId id) {
        if (has_value) {
            return operand(id, id == e.c ? Level::conditional : Level::logical_or);
        }
        put("void(");
        effects(id);
        put(")");
    };
    branch(e.b);
    put(" : ");
    branch(e.c);
}

/// A statement expression is a function object that is called, because NVRTC has no such expressions.
void Emitter::statements(const Expr& e) {
    if (is_left(e.index)) {
        refuse(e.token, "a jump in or out of a statement expression is not supported on this device");
    }
    put("[&] {");
    ++indent_;
    for (const StmtId id : tree_.items(tree_.stmt(e.index).list)) {
        if (e.a != 0 && tree_.stmt(id).expr == e.a && tree_.stmt(id).kind == StmtKind::expression) {
            line();
            put("return ");
            value(e.a);
            put(";");
        } else {
            statement(id);
        }
    }
    --indent_;
    line();
    put("}()");
}

void Emitter::compound_literal(const Expr& e) {
    const Variable& v = tree_.variables[e.index];
    if (v.type.space() == Space::constant || v.initial == 0) {
        return put(variable_name(e.index));
    }
    put("(");
    assign_parts(variable_name(e.index), v.initial, v.type, ", ");
    put(variable_name(e.index), ")");
}

/// The value of an integer constant, also within conversions between integers that keep it.
std::optional<std::uint64_t> Emitter::constant_of(ExprId id) const {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::integer) {
        return e.constant;
    }
    const bool converts = e.kind == ExprKind::convert &&
                          (e.conversion == Conversion::arithmetic || e.conversion == Conversion::none) &&
                          types_.is_integer(e.type) && types_.is_integer(type_of(e.a));
    const auto inner = converts ? constant_of(e.a) : std::nullopt;
    return inner && *inner < 128 && !types_.is(e.type, TypeKind::bool_) ? inner : std::nullopt;
}

} // namespace ferry::emit_cpp
