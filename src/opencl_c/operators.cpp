// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

// Rules of operators: C99 6.5, and OpenCL C 6.3 for vectors.
namespace ferry::opencl_c {
namespace {

Expr node(ExprKind kind, Op op, Type type, std::uint32_t token, ExprId a, ExprId b = 0, ExprId c = 0) {
    Expr e;
    e.kind = kind;
    e.op = op;
    e.type = type;
    e.token = token;
    e.a = a;
    e.b = b;
    e.c = c;
    return e;
}

} // namespace

ExprId Parser::invalid_operands(std::uint32_t token, ExprId a, ExprId b) {
    if (!is_bad(a) && !is_bad(b)) {
        error(token, "the operands of " + translate::quoted(tree_.tokens[token].text) +
                         " do not fit: " + name(type_of(a).plain()) + " and " + name(type_of(b).plain()));
    }
    return bad(token);
}

ExprId Parser::make_arithmetic(Op op, std::uint32_t token, ExprId a, ExprId b) {
    const ExprId left = a;
    const ExprId right = b;
    if (!usual_conversions(token, a, b)) {
        return bad(token);
    }
    const Type type = type_of(a);
    const bool integers_only =
        op == Op::remainder || op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
    if (integers_only && !types_.has_integers(type)) {
        return invalid_operands(token, left, right);
    }
    if (op == Op::divide || op == Op::remainder) {
        const auto divisor = evaluate(b);
        if (divisor && *divisor == 0) {
            warning(token, "division by zero gives an unspecified value");
        }
    }
    return add(node(ExprKind::binary, op, type, token, a, b));
}

ExprId Parser::make_additive(Op op, std::uint32_t token, ExprId a, ExprId b) {
    a = value(a);
    b = value(b);
    if (is_bad(a) || is_bad(b)) {
        return bad(token);
    }
    if (op == Op::add && types_.is_pointer(type_of(b)) && types_.is_integer(type_of(a))) {
        std::swap(a, b);
    }
    const Type type = type_of(a);
    if (!types_.is_pointer(type)) {
        return make_arithmetic(op, token, a, b);
    }
    const Type pointee = types_.element(type);
    if (!types_.is_complete(pointee) && !types_.is_void(pointee)) {
        error(token, "arithmetic on a pointer to the incomplete type " + name(pointee));
        return bad(token);
    }
    if (types_.is_integer(type_of(b))) {
        return add(node(ExprKind::binary, op, type.plain(), token, a, promote(b)));
    }
    if (op == Op::subtract && types_.is_pointer(type_of(b)) &&
        types_.element(type_of(b)).plain() == pointee.plain()) {
        if (types_.element(type_of(b)).space() == pointee.space()) {
            return add(node(ExprKind::binary, op, Types::basic(TypeKind::long_), token, a, b));
        }
    }
    return invalid_operands(token, a, b);
}

ExprId Parser::make_shift(Op op, std::uint32_t token, ExprId a, ExprId b) {
    a = value(a);
    b = value(b);
    if (is_bad(a) || is_bad(b)) {
        return bad(token);
    }
    const Type x = type_of(a);
    const Type y = type_of(b);
    if (!types_.has_integers(x) || !types_.has_integers(y)) {
        return invalid_operands(token, a, b);
    }
    if (types_.is_vector(y) && types_.lanes(x) != types_.lanes(y)) {
        return invalid_operands(token, a, b);
    }
    if (types_.is_vector(x)) {
        if (!types_.is_vector(y)) {
            b = wrap(Conversion::splat, arithmetic_to(b, types_.scalar(x)), x.plain());
        }
        return add(node(ExprKind::binary, op, x.plain(), token, a, b));
    }
    a = promote(a);
    return add(node(ExprKind::binary, op, type_of(a), token, a, promote(b)));
}

ExprId Parser::compare_pointers(Op op, std::uint32_t token, ExprId a, ExprId b) {
    const Type x = type_of(a);
    const Type y = type_of(b);
    if (types_.is_pointer(x) && types_.is_pointer(y)) {
        const Type from = types_.element(x);
        const Type to = types_.element(y);
        if (from.space() != to.space() && !is_null(a) && !is_null(b)) {
            return invalid_operands(token, a, b);
        }
        if (from.plain() != to.plain() && !types_.is_void(from) && !types_.is_void(to)) {
            warning(token, "comparison of the incompatible pointers " + name(x) + " and " + name(y));
        }
        b = from == to ? b : wrap(Conversion::pointer, b, x.plain());
    } else if (types_.is_pointer(x) && types_.is_integer(y)) {
        if (!is_null(b)) {
            warning(token, "comparison of the pointer " + name(x) + " and an integer");
        }
        b = wrap(is_null(b) ? Conversion::from_null : Conversion::to_pointer, b, x.plain());
    } else if (types_.is_pointer(y) && types_.is_integer(x)) {
        if (!is_null(a)) {
            warning(token, "comparison of an integer and the pointer " + name(y));
        }
        a = wrap(is_null(a) ? Conversion::from_null : Conversion::to_pointer, a, y.plain());
    } else {
        return invalid_operands(token, a, b);
    }
    return add(node(ExprKind::binary, op, Types::basic(TypeKind::int_), token, a, b));
}

ExprId Parser::make_comparison(Op op, std::uint32_t token, ExprId a, ExprId b) {
    a = value(a);
    b = value(b);
    if (is_bad(a) || is_bad(b)) {
        return bad(token);
    }
    if (types_.is_pointer(type_of(a)) || types_.is_pointer(type_of(b))) {
        return compare_pointers(op, token, a, b);
    }
    if (!usual_conversions(token, a, b)) {
        return bad(token);
    }
    const Type type =
        types_.is_vector(type_of(a)) ? types_.mask_of(type_of(a)) : Types::basic(TypeKind::int_);
    return add(node(ExprKind::binary, op, type, token, a, b));
}

ExprId Parser::make_logical(Op op, std::uint32_t token, ExprId a, ExprId b) {
    a = value(a);
    b = value(b);
    if (is_bad(a) || is_bad(b)) {
        return bad(token);
    }
    Type type = Types::basic(TypeKind::int_);
    if (types_.is_vector(type_of(a)) || types_.is_vector(type_of(b))) {
        if (!usual_conversions(token, a, b)) {
            return bad(token);
        }
        type = types_.mask_of(type_of(a));
    } else if (!types_.is_scalar(type_of(a)) || !types_.is_scalar(type_of(b))) {
        return invalid_operands(token, a, b);
    }
    return add(node(ExprKind::logical, op, type, token, a, b));
}

std::optional<Type> Parser::common_pointer(std::uint32_t token, ExprId& a, ExprId& b) {
    const auto null_beside = [&](ExprId& one, Type other) {
        if (is_null(one) && types_.is_pointer(other)) {
            one = types_.is_pointer(type_of(one)) ? wrap(Conversion::pointer, one, other)
                                                  : wrap(Conversion::from_null, one, other);
            return true;
        }
        return false;
    };
    const Type x = type_of(a).plain();
    const Type y = type_of(b).plain();
    if (null_beside(b, x)) {
        return x;
    }
    if (null_beside(a, y)) {
        return y;
    }
    if (!types_.is_pointer(x) || !types_.is_pointer(y)) {
        if (types_.is_pointer(x) && types_.is_integer(y)) {
            warning(token, "the operands of '?:' are the pointer " + name(x) + " and an integer");
            b = wrap(Conversion::to_pointer, arithmetic_to(b, Types::basic(TypeKind::ulong)), x);
            return x;
        }
        if (types_.is_pointer(y) && types_.is_integer(x)) {
            warning(token, "the operands of '?:' are an integer and the pointer " + name(y));
            a = wrap(Conversion::to_pointer, arithmetic_to(a, Types::basic(TypeKind::ulong)), y);
            return y;
        }
        return std::nullopt;
    }
    const Type from = types_.element(x);
    const Type to = types_.element(y);
    if (from.space() != to.space()) {
        return std::nullopt;
    }
    Type pointee = types_.is_void(from) ? from : to;
    if (from.plain() != to.plain() && !types_.is_void(from) && !types_.is_void(to)) {
        warning(token, "the operands of '?:' are the incompatible pointers " + name(x) + " and " + name(y));
        pointee = Types::basic(TypeKind::void_).in(from.space());
    }
    pointee = pointee.with_qualifiers_of(from).with_qualifiers_of(to);
    const Type common = types_.pointer(pointee);
    a = x == common ? a : wrap(Conversion::pointer, a, common);
    b = y == common ? b : wrap(Conversion::pointer, b, common);
    return common;
}

/// Handles c ? a : b with a vector c.
ExprId Parser::make_selection(std::uint32_t token, ExprId c, ExprId a, ExprId b) {
    const Type condition = type_of(c);
    if (!types_.has_integers(condition)) {
        error(token, "the condition of '?:' is a vector of " + name(types_.scalar(condition)) +
                         ", but it must have integer elements");
        return bad(token);
    }
    if (!types_.is_vector(type_of(a)) && !types_.is_vector(type_of(b))) {
        if (!types_.is_arithmetic(type_of(a)) || !types_.is_arithmetic(type_of(b))) {
            return invalid_operands(token, a, b);
        }
        const Type common = types_.value_type(type_of(a)) == types_.value_type(type_of(b))
                                ? types_.value_type(type_of(a))
                                : common_arithmetic(type_of(a), type_of(b));
        const Type vector = types_.widened(common, condition);
        a = wrap(Conversion::splat, arithmetic_to(a, common), vector);
        b = wrap(Conversion::splat, arithmetic_to(b, common), vector);
    } else if (!usual_conversions(token, a, b)) {
        return bad(token);
    }
    const Type type = type_of(a);
    if (types_.lanes(type) != types_.lanes(condition) || types_.size(type) != types_.size(condition)) {
        error(token, "the condition of '?:' has type " + name(condition) + ", but for operands of type " +
                         name(type) + " it must be " + name(types_.mask_of(type)) + " or its unsigned form");
        return bad(token);
    }
    return add(node(ExprKind::conditional, Op::none, type, token, c, a, b));
}

ExprId Parser::make_conditional(std::uint32_t token, ExprId c, ExprId a, ExprId b) {
    c = value(c);
    a = value(a);
    b = value(b);
    if (is_bad(c) || is_bad(a) || is_bad(b)) {
        return bad(token);
    }
    if (types_.is_vector(type_of(c))) {
        return make_selection(token, c, a, b);
    }
    if (!types_.is_scalar(type_of(c))) {
        error(token, "the condition of '?:' must be a scalar or a vector of integers, but it has type " +
                         name(type_of(c)));
        return bad(token);
    }
    Type x = type_of(a).plain();
    const Type y = type_of(b).plain();
    if (types_.is_vector(x) || types_.is_vector(y) || (types_.is_arithmetic(x) && types_.is_arithmetic(y))) {
        if (!usual_conversions(token, a, b)) {
            return bad(token);
        }
        x = type_of(a);
    } else if (types_.is_pointer(x) || types_.is_pointer(y)) {
        const auto common = common_pointer(token, a, b);
        if (!common) {
            return invalid_operands(token, a, b);
        }
        x = *common;
    } else if (types_.is_void(x) || types_.is_void(y)) {
        const Type nothing = Types::basic(TypeKind::void_);
        a = types_.is_void(x) ? a : wrap(Conversion::drop, a, nothing);
        b = types_.is_void(y) ? b : wrap(Conversion::drop, b, nothing);
        x = nothing;
    } else if (x != y) {
        return invalid_operands(token, a, b);
    }
    return add(node(ExprKind::conditional, Op::none, x, token, c, a, b));
}

ExprId Parser::make_binary(Op op, std::uint32_t token, ExprId a, ExprId b) {
    switch (op) {
    case Op::add:
    case Op::subtract:
        return make_additive(op, token, a, b);
    case Op::shift_left:
    case Op::shift_right:
        return make_shift(op, token, a, b);
    case Op::less:
    case Op::greater:
    case Op::less_equal:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
        return make_comparison(op, token, a, b);
    case Op::logical_and:
    case Op::logical_or:
        return make_logical(op, token, a, b);
    default:
        return make_arithmetic(op, token, a, b);
    }
}

void Parser::note_write(ExprId a, bool address) {
    while (a != 0) {
        const Expr& e = expr(a);
        if (e.kind == ExprKind::variable) {
            (address ? tree_.variables[e.index].address_taken : tree_.variables[e.index].written) = true;
            return;
        }
        const bool inside = e.kind == ExprKind::member || e.kind == ExprKind::swizzle ||
                            e.kind == ExprKind::element ||
                            (e.kind == ExprKind::convert && e.conversion == Conversion::decay);
        if (!inside) {
            return;
        }
        a = e.a;
    }
}

bool Parser::check_assignable(std::uint32_t token, ExprId a) {
    const Expr& e = expr(a);
    if (is_bad(a)) {
        return false;
    }
    if (!e.lvalue) {
        error(token, "the expression is not assignable");
        return false;
    }
    if (e.kind == ExprKind::swizzle) {
        const Swizzle& s = tree_.swizzles[e.index];
        unsigned seen = 0;
        for (unsigned i = 0; i < s.count; ++i) {
            if ((seen & (1U << s.components[i])) != 0) {
                error(token, "the swizzle names a component twice, so it is not assignable");
                return false;
            }
            seen |= 1U << s.components[i];
        }
    }
    if (e.type.is_const() || e.type.space() == Space::constant) {
        const bool constant = e.type.space() == Space::constant;
        std::string what = "the expression";
        if (e.kind == ExprKind::variable) {
            what = "the variable " + translate::quoted(tree_.variables[e.index].name);
        }
        error(token,
              what + (constant ? " is in constant memory" : " is const") + ", so it is not assignable");
        return false;
    }
    if (types_.is_array(e.type)) {
        error(token, "an array is not assignable; its type is " + name(e.type));
        return false;
    }
    if (is_resource(e.type)) {
        error(token, "an object of type " + name(e.type) + " is not assignable");
        return false;
    }
    if (!types_.is_complete(e.type)) {
        error(token, "an object of the incomplete type " + name(e.type) + " is not assignable");
        return false;
    }
    note_write(a, false);
    return true;
}

ExprId Parser::make_assignment(std::uint32_t token, ExprId a, ExprId b) {
    if (!check_assignable(token, a)) {
        return bad(token);
    }
    const Type type = type_of(a).plain();
    b = convert(b, type, Use::assign, token);
    if (is_bad(b)) {
        return bad(token);
    }
    return add(node(ExprKind::assign, Op::none, type, token, a, b));
}

ExprId Parser::make_compound(Op op, std::uint32_t token, ExprId a, ExprId b) {
    if (!check_assignable(token, a)) {
        return bad(token);
    }
    // The plain operation on the value of a determines the type of the computation.
    const ExprId computed = make_binary(op, token, a, b);
    if (is_bad(computed)) {
        return computed;
    }
    const Type type = type_of(a).plain();
    const Type result = type_of(computed).plain();
    if (types_.is_vector(result) && !types_.is_vector(type)) {
        return invalid_operands(token, a, b);
    }
    if (types_.is_pointer(type) && !types_.is_pointer(result)) {
        return invalid_operands(token, a, b);
    }
    Expr made = node(ExprKind::compound, op, type, token, a, expr(computed).b);
    made.index = type_of(expr(computed).a).bits();
    return add(made);
}

ExprId Parser::make_address(std::uint32_t token, ExprId a) {
    const Expr e = expr(a);
    if (is_bad(a)) {
        return a;
    }
    if (e.kind == ExprKind::swizzle || (e.kind == ExprKind::element && types_.is_vector(type_of(e.a)))) {
        error(token, "a component of a vector has no address");
        return bad(token);
    }
    if (!e.lvalue) {
        error(token, "a value of type " + name(e.type) + " that is no object has no address");
        return bad(token);
    }
    if (e.kind == ExprKind::dereference) {
        return e.a;
    }
    note_write(a, true);
    return add(node(ExprKind::address, Op::none, types_.pointer(e.type), token, a));
}

ExprId Parser::make_dereference(std::uint32_t token, ExprId a) {
    a = value(a);
    if (is_bad(a)) {
        return a;
    }
    if (!types_.is_pointer(type_of(a))) {
        error(token, "'*' needs a pointer, but its operand has type " + name(type_of(a)));
        return bad(token);
    }
    const Type pointee = types_.element(type_of(a));
    if (types_.is_void(pointee)) {
        error(token, "a pointer to void cannot be dereferenced");
        return bad(token);
    }
    Expr made = node(ExprKind::dereference, Op::none, pointee, token, a);
    made.lvalue = true;
    return add(made);
}

ExprId Parser::make_unary(std::string_view op, std::uint32_t token, ExprId a) {
    if (op == "&") {
        return make_address(token, a);
    }
    if (op == "*") {
        return make_dereference(token, a);
    }
    a = value(a);
    if (is_bad(a)) {
        return a;
    }
    const Type type = type_of(a);
    const auto refuse = [&] {
        error(token, translate::quoted(op) + " cannot be applied to a value of type " + name(type));
        return bad(token);
    };
    if (op == "!") {
        if (types_.is_vector(type)) {
            return add(node(ExprKind::unary, Op::logical_not, types_.mask_of(type), token, a));
        }
        return types_.is_scalar(type)
                   ? add(node(ExprKind::unary, Op::logical_not, Types::basic(TypeKind::int_), token, a))
                   : refuse();
    }
    const bool complement = op == "~";
    if (complement ? !types_.has_integers(type) : !(types_.has_integers(type) || types_.has_floats(type))) {
        return refuse();
    }
    a = promote(a);
    if (op == "+") {
        return a == 0 ? a : wrap(Conversion::none, a, type_of(a));
    }
    return add(node(ExprKind::unary, complement ? Op::complement : Op::minus, type_of(a).plain(), token, a));
}

ExprId Parser::make_step(Op op, std::uint32_t token, ExprId a) {
    if (!check_assignable(token, a)) {
        return bad(token);
    }
    const Type type = type_of(a).plain();
    const bool fits = types_.is_arithmetic(type) || (types_.is_vector(type) && types_.has_integers(type)) ||
                      (types_.is_pointer(type) && types_.is_complete(types_.element(type)));
    if (!fits) {
        error(token, "a value of type " + name(type) + " cannot be incremented or decremented");
        return bad(token);
    }
    return add(node(ExprKind::step, op, type, token, a));
}

} // namespace ferry::opencl_c
