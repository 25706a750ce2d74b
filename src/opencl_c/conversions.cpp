// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>

// Conversions of C (C99 6.3), and of vectors (OpenCL C 6.2).
namespace ferry::opencl_c {

ExprId Parser::wrap(Conversion conversion, ExprId e, Type to, bool is_explicit) {
    Expr made;
    made.kind = ExprKind::convert;
    made.conversion = conversion;
    made.explicit_cast = is_explicit;
    made.type = to;
    made.token = token_of(e);
    made.a = e;
    return add(made);
}

ExprId Parser::value(ExprId e) {
    const Type type = type_of(e);
    if (types_.is_error(type)) {
        return e;
    }
    if (types_.is_array(type)) {
        return wrap(Conversion::decay, e, types_.pointer(types_.element(type)));
    }
    if (!expr(e).lvalue) {
        return e;
    }
    return wrap(Conversion::load, e, type.plain());
}

bool Parser::is_null(ExprId e) const {
    const Expr& x = tree_.exprs[e];
    if (x.kind == ExprKind::integer) {
        return x.constant == 0;
    }
    if (x.kind == ExprKind::convert && x.explicit_cast && types_.is_pointer(x.type) &&
        types_.is_void(types_.element(x.type))) {
        return is_null(x.a);
    }
    return x.kind == ExprKind::convert && x.conversion == Conversion::from_null &&
           types_.is_void(types_.element(x.type));
}

ExprId Parser::arithmetic_to(ExprId e, Type to) {
    to = to.plain();
    if (type_of(e) == to || is_bad(e)) {
        return e;
    }
    // Converts the constant itself. A literal such as 0 then costs nothing if another type is needed.
    if (expr(e).kind == ExprKind::integer && types_.is_integer(to) && !types_.is(to, TypeKind::enumeration)) {
        Expr made = expr(e);
        made.constant =
            types_.is(to, TypeKind::bool_) ? (made.constant != 0 ? 1 : 0) : truncated(made.constant, to);
        made.type = to;
        return add(made);
    }
    return wrap(Conversion::arithmetic, e, to);
}

ExprId Parser::promote(ExprId e) {
    const Type type = type_of(e);
    return types_.is_integer(type) ? arithmetic_to(e, common_arithmetic(type, Types::basic(TypeKind::int_)))
                                   : e;
}

Type Parser::common_arithmetic(Type a, Type b) const {
    const TypeKind x = types_.integer_kind(a);
    const TypeKind y = types_.integer_kind(b);
    if (types_.is_floating(a) || types_.is_floating(b)) {
        if (!types_.is_floating(a)) {
            return Types::basic(y);
        }
        return Types::basic(types_.is_floating(b) ? std::max(x, y) : x);
    }
    // The kinds are ordered by rank, and each unsigned kind follows its signed one. The larger kind is
    // therefore the common type, also for int and uint, and for long and uint.
    return Types::basic(std::max({x, y, TypeKind::int_}));
}

bool Parser::splat_to(std::uint32_t token, ExprId& scalar, Type vector) {
    const Type from = type_of(scalar);
    const Type element = types_.scalar(vector);
    const bool integers = types_.is_integer(element);
    if (!types_.is_arithmetic(from) || (integers && !types_.is_integer(from))) {
        if (types_.is_arithmetic(from)) {
            error(token, "a scalar of type " + name(from) + " is not converted to the vector type " +
                             name(vector.plain()) +
                             ", because that would change its value; convert it first");
            return false;
        }
        return false;
    }
    const unsigned wide = size_of(types_.integer_kind(from));
    if (types_.is_floating(from) == types_.is_floating(element) && wide > size_of(types_.kind(element))) {
        error(token, "the scalar operand of type " + name(from) + " is wider than the elements of " +
                         name(vector.plain()) + "; convert it first: (" + types_.name(element) + ")(...)");
        return false;
    }
    scalar = wrap(Conversion::splat, arithmetic_to(scalar, element), vector.plain());
    return true;
}

bool Parser::usual_conversions(std::uint32_t token, ExprId& a, ExprId& b, bool with_promotion) {
    a = value(a);
    b = value(b);
    const Type x = type_of(a);
    const Type y = type_of(b);
    if (is_bad(a) || is_bad(b)) {
        return false;
    }
    if (types_.is_vector(x) || types_.is_vector(y)) {
        if (types_.is_vector(x) && types_.is_vector(y)) {
            if (x.plain() == y.plain()) {
                return true;
            }
            invalid_operands(token, a, b);
            return false;
        }
        const bool first = types_.is_vector(x);
        const std::size_t errors = diagnostics_.list().size();
        if (first ? splat_to(token, b, x) : splat_to(token, a, y)) {
            return true;
        }
        if (diagnostics_.list().size() == errors) {
            invalid_operands(token, a, b);
        }
        return false;
    }
    if (!types_.is_arithmetic(x) || !types_.is_arithmetic(y)) {
        invalid_operands(token, a, b);
        return false;
    }
    if (with_promotion) {
        const Type common = common_arithmetic(x, y);
        a = arithmetic_to(a, common);
        b = arithmetic_to(b, common);
    }
    return true;
}

ExprId Parser::truth(ExprId e, const char* what) {
    e = value(e);
    if (!is_bad(e) && !types_.is_scalar(type_of(e))) {
        const bool vector = types_.is_vector(type_of(e));
        error(token_of(e), std::string(what) + " must be a scalar, but it has type " + name(type_of(e)) +
                               (vector ? "; use any() or all() of a vector" : ""));
        return bad(token_of(e));
    }
    return e;
}

std::string Parser::use_text(Use use, Type from, Type to) const {
    switch (use) {
    case Use::initialise:
        return "initializing " + name(to) + " with an expression of type " + name(from);
    case Use::assign:
        return "assigning to " + name(to) + " from " + name(from);
    case Use::pass:
        return "passing " + name(from) + " to a parameter of type " + name(to);
    default:
        return "returning " + name(from) + " from a function with result type " + name(to);
    }
}

ExprId Parser::convert_pointer(ExprId e, Type to, Use use, std::uint32_t token) {
    const Type from = type_of(e);
    const Type source = types_.element(from);
    const Type target = types_.element(to);
    if (source.space() != target.space()) {
        error(token, use_text(use, from, to) + " changes the address space of the pointer");
        return bad(token);
    }
    const bool same = source.plain() == target.plain();
    if ((source.qualifiers() & 3 & ~target.qualifiers()) != 0) {
        warning(token, use_text(use, from, to) + " discards qualifiers");
    } else if (!same && !types_.is_void(source) && !types_.is_void(target)) {
        warning(token, use_text(use, from, to) + ": the pointers are incompatible");
    }
    return source == target ? e : wrap(Conversion::pointer, e, to.plain());
}

ExprId Parser::convert(ExprId e, Type to, Use use, std::uint32_t token) {
    const bool null = is_null(e);
    e = value(e);
    to = to.plain();
    const Type from = type_of(e);
    if (is_bad(e) || types_.is_error(to) || from.plain() == to) {
        return e;
    }
    if (types_.is_vector(to) && types_.is_arithmetic(from)) {
        return wrap(Conversion::splat, arithmetic_to(e, types_.scalar(to)), to);
    }
    if (types_.is_arithmetic(to) && types_.is_arithmetic(from)) {
        return arithmetic_to(e, to);
    }
    if (types_.is_pointer(to)) {
        if (null) {
            return wrap(Conversion::from_null, e, to);
        }
        if (types_.is_pointer(from)) {
            return convert_pointer(e, to, use, token);
        }
        if (types_.is_integer(from)) {
            warning(token, use_text(use, from, to) + " makes a pointer of an integer");
            return wrap(Conversion::to_pointer, arithmetic_to(e, Types::basic(TypeKind::ulong)), to);
        }
    }
    if (types_.is_pointer(from) && types_.is(to, TypeKind::bool_)) {
        return wrap(Conversion::to_bool, e, to);
    }
    if (types_.is_pointer(from) && types_.is_integer(to)) {
        warning(token, use_text(use, from, to) + " makes an integer of a pointer");
        return wrap(Conversion::to_integer, e, to);
    }
    if ((types_.is(to, TypeKind::event) && null && use != Use::assign) ||
        (types_.is(to, TypeKind::sampler) && types_.is_integer(from))) {
        return wrap(Conversion::reinterpret, e, to);
    }
    if (types_.is_void(from)) {
        error(token, use_text(use, from, to) + ": a void expression has no value");
        return bad(token);
    }
    std::string hint;
    if (types_.is_vector(from) && types_.is_vector(to) && types_.lanes(from) == types_.lanes(to)) {
        hint = "; use convert_" + types_.name(to) + "()";
    }
    error(token, use_text(use, from, to) + ": the types are incompatible" + hint);
    return bad(token);
}

ExprId Parser::cast_vector(ExprId e, Type to, std::uint32_t token) {
    const Type from = type_of(e);
    if (types_.is_arithmetic(from)) {
        return wrap(Conversion::splat, arithmetic_to(e, types_.scalar(to)), to, true);
    }
    std::string hint;
    if (types_.is_vector(from)) {
        hint = "; use ";
        hint += types_.lanes(from) == types_.lanes(to) ? "convert_" + types_.name(to) + "()" : "";
        hint += types_.lanes(from) == types_.lanes(to) && types_.size(from) == types_.size(to) ? " or " : "";
        hint += types_.size(from) == types_.size(to) ? "as_" + types_.name(to) + "()" : "";
        hint = hint.size() > 6 ? hint : "";
    }
    error(token, name(from) + " cannot be cast to the vector type " + name(to) + hint);
    return bad(token);
}

ExprId Parser::cast(ExprId e, Type to, std::uint32_t token) {
    const bool null = is_null(e);
    to = to.plain();
    if (types_.is_void(to)) {
        return is_bad(e) ? e
                         : wrap(Conversion::drop,
                                expr(e).lvalue && !types_.is_array(type_of(e)) ? e : value(e), to, true);
    }
    e = value(e);
    const Type from = type_of(e);
    if (is_bad(e) || types_.is_error(to)) {
        return bad(token);
    }
    if (from == to && !types_.is_record(to)) {
        return e;
    }
    if (types_.is_vector(to)) {
        return cast_vector(e, to, token);
    }
    if (types_.is_arithmetic(to) && types_.is_arithmetic(from)) {
        const ExprId made = arithmetic_to(e, to);
        if (expr(made).kind == ExprKind::convert) {
            expr(made).explicit_cast = true;
        }
        return made;
    }
    if (types_.is_pointer(to) && types_.is_pointer(from)) {
        if (types_.element(from).space() != types_.element(to).space()) {
            error(token,
                  "casting " + name(from) + " to " + name(to) + " changes the address space of the pointer");
            return bad(token);
        }
        return wrap(Conversion::pointer, e, to, true);
    }
    if (types_.is_pointer(to) && types_.is_integer(from)) {
        return wrap(null ? Conversion::from_null : Conversion::to_pointer,
                    null ? e : arithmetic_to(e, Types::basic(TypeKind::ulong)), to, true);
    }
    if (types_.is_pointer(from) && types_.is_integer(to)) {
        return wrap(types_.is(to, TypeKind::bool_) ? Conversion::to_bool : Conversion::to_integer, e, to,
                    true);
    }
    if ((types_.is(to, TypeKind::event) && null) ||
        (types_.is(to, TypeKind::sampler) && types_.is_integer(from))) {
        return wrap(Conversion::reinterpret, e, to, true);
    }
    error(token, name(from) + " cannot be cast to " + name(to));
    return bad(token);
}

ExprId Parser::vector_literal(Type type, std::vector<ExprId> items, std::uint32_t token) {
    const Type element = types_.scalar(type);
    unsigned count = 0;
    for (ExprId& item : items) {
        item = value(item);
        const Type t = type_of(item);
        if (is_bad(item)) {
            return bad(token);
        }
        if (types_.is_arithmetic(t)) {
            item = items.size() == 1 ? item : arithmetic_to(item, element);
        } else if (!types_.is_vector(t) || types_.scalar(t) != element) {
            error(token_of(item), "a value of type " + name(t) + " cannot be a part of a " + name(type));
            return bad(token);
        }
        count += types_.lanes(t);
    }
    if (items.size() == 1) {
        return cast(items[0], type, token);
    }
    if (count != types_.lanes(type)) {
        error(token, "a " + name(type) + " needs " + std::to_string(types_.lanes(type)) +
                         " components, or one for all; here are " + std::to_string(count));
        return bad(token);
    }
    Expr made;
    made.kind = ExprKind::vector;
    made.type = type.plain();
    made.token = token;
    made.list = list_of(items);
    return add(made);
}

} // namespace ferry::opencl_c
