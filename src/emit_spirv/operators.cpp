// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

namespace ferry::emit_spirv {
namespace {

using opencl_c::Op;

struct Comparison {
    Op op;
    Opcode of_signed, of_unsigned, of_floats;
};
constexpr Comparison comparisons[] = {
    {Op::less, Opcode::s_less_than, Opcode::u_less_than, Opcode::f_ord_less_than},
    {Op::greater, Opcode::s_greater_than, Opcode::u_greater_than, Opcode::f_ord_greater_than},
    {Op::less_equal, Opcode::s_less_than_equal, Opcode::u_less_than_equal, Opcode::f_ord_less_than_equal},
    {Op::greater_equal, Opcode::s_greater_than_equal, Opcode::u_greater_than_equal,
     Opcode::f_ord_greater_than_equal},
    {Op::equal, Opcode::i_equal, Opcode::i_equal, Opcode::f_ord_equal},
    {Op::not_equal, Opcode::i_not_equal, Opcode::i_not_equal, Opcode::f_unord_not_equal},
};

const Comparison* comparison_of(Op op) {
    for (const Comparison& c : comparisons) {
        if (c.op == op) {
            return &c;
        }
    }
    return nullptr;
}

Opcode opcode_of(Op op, bool is_signed, bool floats) {
    switch (op) {
    case Op::add:
        return floats ? Opcode::f_add : Opcode::i_add;
    case Op::subtract:
        return floats ? Opcode::f_sub : Opcode::i_sub;
    case Op::multiply:
        return floats ? Opcode::f_mul : Opcode::i_mul;
    case Op::divide:
        return floats ? Opcode::f_div : is_signed ? Opcode::s_div : Opcode::u_div;
    case Op::remainder:
        return is_signed ? Opcode::s_rem : Opcode::u_mod;
    case Op::bit_and:
        return Opcode::bitwise_and;
    case Op::bit_or:
        return Opcode::bitwise_or;
    case Op::bit_xor:
        return Opcode::bitwise_xor;
    default:
        return Opcode::undef;
    }
}

} // namespace

Id Emitter::binary(Op op, Shape s, Id a, Id b, std::uint32_t token) {
    const Opcode opcode = opcode_of(op, is_signed(s.kind), is_floating(s.kind));
    if (opcode == Opcode::undef) {
        refuse(token, "this operator has no form in SPIR-V");
    }
    return opcode == Opcode::f_div   ? quotient(s, a, b)
           : opcode == Opcode::s_rem ? signed_remainder(s, a, b)
                                     : make(opcode, number_type(s.kind, s.lanes), {a, b});
}

Id Emitter::signed_remainder(Shape s, Id a, Id b) {
    return make(Opcode::s_rem, number_type(s.kind, s.lanes), {a, b});
}

Id Emitter::quotient(Shape s, Id a, Id b) {
    return make(Opcode::f_div, number_type(s.kind, s.lanes), {a, b});
}

/// Emits a shift. The count is taken modulo the width of the shifted type.
Id Emitter::shift(Op op, Shape s, Id a, Id b, Shape count) {
    const Id narrow = converted(b, count, s.kind);
    const Id most = integer(s.kind, 8 * opencl_c::size_of(s.kind) - 1, s.lanes);
    const Id t = number_type(s.kind, s.lanes);
    const Id by = make(Opcode::bitwise_and, t, {narrow, most});
    const Opcode opcode = op == Op::shift_left ? Opcode::shift_left_logical
                          : is_signed(s.kind)  ? Opcode::shift_right_arithmetic
                                               : Opcode::shift_right_logical;
    return make(opcode, t, {a, by});
}

Id Emitter::comparison(Op op, TypeKind kind, unsigned lanes, Id a, Id b) {
    const Comparison& c = *comparison_of(op);
    const Opcode opcode = is_floating(kind) ? c.of_floats : is_signed(kind) ? c.of_signed : c.of_unsigned;
    return make(opcode, bool_type(lanes), {a, b});
}

Id Emitter::user_comparison(const Expr& e, Shape s, Id a, Id b) {
    return comparison(e.op, s.kind, s.lanes, a, b);
}

Id Emitter::address_of(Id pointer) {
    return make(Opcode::convert_ptr_to_u, number_type(TypeKind::ulong), {pointer});
}

Id Emitter::index_of(Id index, Type t) {
    return converted(index, shape(t), TypeKind::long_);
}

Id Emitter::offset_pointer(Id pointer, Type pointee, Id index, std::uint32_t token) {
    const Type element =
        types_.is_void(pointee) ? Types::basic(TypeKind::uchar).in(pointee.space()) : pointee;
    const Id own = pointer_type(storage_of(pointee.space()), type(element, token));
    const Id kept = pointer_to(pointee, token);
    const Id base = own == kept ? pointer : make(Opcode::bitcast, own, {pointer});
    const Id moved = make(Opcode::in_bounds_ptr_access_chain, own, {base, index});
    return own == kept ? moved : make(Opcode::bitcast, kept, {moved});
}

Id Emitter::binary_expression(const Expr& e) {
    const Type left = type_of(e.a);
    if (comparison_of(e.op) != nullptr) {
        if (!types_.is_vector(left)) {
            return mask(condition_of(e), shape(e.type));
        }
        const Shape s = shape(left);
        const Id a = value(e.a);
        const Id b = value(e.b);
        return mask(user_comparison(e, s, a, b), shape(e.type));
    }
    const Id a = value(e.a);
    const Id b = value(e.b);
    if (types_.is_pointer(left)) {
        const Type pointee = types_.element(left);
        if (types_.is_pointer(type_of(e.b))) {
            const Id word = number_type(TypeKind::long_);
            const Id bytes = make(Opcode::i_sub, word, {address_of(a), address_of(b)});
            const std::uint64_t size = types_.is_void(pointee) ? 1 : types_.size(pointee);
            return make(Opcode::s_div, word, {bytes, integer(TypeKind::long_, size == 0 ? 1 : size)});
        }
        Id index = index_of(b, type_of(e.b));
        if (e.op == Op::subtract) {
            index = make(Opcode::s_negate, number_type(TypeKind::long_), {index});
        }
        return offset_pointer(a, pointee, index, e.token);
    }
    const Shape s = shape(e.type);
    if (e.op == Op::shift_left || e.op == Op::shift_right) {
        return shift(e.op, s, a, b, shape(type_of(e.b)));
    }
    return binary(e.op, s, a, b, e.token);
}

Id Emitter::unary(const Expr& e) {
    if (e.op == Op::logical_not) {
        if (!types_.is_vector(e.type)) {
            return mask(make(Opcode::logical_not, bool_type(), {condition(e.a)}), shape(e.type));
        }
        const Type t = type_of(e.a);
        const Id truth = is_true(value(e.a), t);
        return mask(make(Opcode::logical_not, bool_type(types_.lanes(t)), {truth}), shape(e.type));
    }
    const Shape s = shape(e.type);
    const Opcode opcode = e.op == Op::complement ? Opcode::bitwise_not
                          : is_floating(s.kind)  ? Opcode::f_negate
                                                 : Opcode::s_negate;
    return make(opcode, number_type(s.kind, s.lanes), {value(e.a)});
}

Id Emitter::logical(const Expr& e) {
    if (!types_.is_vector(e.type)) {
        return mask(condition_of(e), shape(e.type));
    }
    const Id a = is_true(value(e.a), type_of(e.a));
    const Id b = is_true(value(e.b), type_of(e.b));
    const Opcode opcode = e.op == Op::logical_and ? Opcode::logical_and : Opcode::logical_or;
    return mask(make(opcode, bool_type(types_.lanes(e.type)), {a, b}), shape(e.type));
}

/// Emits the test of a scalar against 0, without converting it to int first.
Id Emitter::condition(ExprId id) {
    const Expr& e = expr(id);
    const bool compares = e.kind == ExprKind::binary && comparison_of(e.op) != nullptr;
    const bool negates = e.kind == ExprKind::unary && e.op == Op::logical_not;
    if (compares || negates || e.kind == ExprKind::logical) {
        return condition_of(e);
    }
    return is_true(value(id), e.type);
}

Id Emitter::condition_of(const Expr& e) {
    if (e.kind == ExprKind::unary) {
        return make(Opcode::logical_not, bool_type(), {condition(e.a)});
    }
    if (e.kind == ExprKind::logical) {
        const bool both = e.op == Op::logical_and;
        const auto rest = [&] { return condition(e.b); };
        const auto known = [&] {
            return module_->constant(both ? Opcode::constant_false : Opcode::constant_true, bool_type());
        };
        const Id first = condition(e.a);
        return both ? choose(bool_type(), first, rest, known) : choose(bool_type(), first, known, rest);
    }
    const Id a = value(e.a);
    const Id b = value(e.b);
    if (types_.is_pointer(type_of(e.a))) {
        return comparison(e.op, TypeKind::ulong, 1, address_of(a), address_of(b));
    }
    return user_comparison(e, shape(type_of(e.a)), a, b);
}

Id Emitter::is_true(Id v, Type t) {
    if (types_.is_pointer(t)) {
        return make(Opcode::i_not_equal, bool_type(), {address_of(v), integer(TypeKind::ulong, 0)});
    }
    const Shape s = shape(t);
    return comparison(Op::not_equal, s.kind, s.lanes, v, number(s.kind, 0, s.lanes));
}

Id Emitter::mask(Id condition, Shape s) {
    const Id yes = integer(s.kind, s.lanes > 1 ? ~std::uint64_t{0} : 1, s.lanes);
    return make(Opcode::select, number_type(s.kind, s.lanes), {condition, yes, integer(s.kind, 0, s.lanes)});
}

} // namespace ferry::emit_spirv
