// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

namespace ferry::emit_spirv {

Id Emitter::value(ExprId id) {
    return value_of(expr(id), id);
}

Id Emitter::value_of(const Expr& e, ExprId id) {
    switch (e.kind) {
    case ExprKind::error:
        break;
    case ExprKind::integer:
    case ExprKind::floating:
        return number(shape(e.type).kind, e.constant);
    case ExprKind::string:
    case ExprKind::variable:
    case ExprKind::element:
    case ExprKind::member:
    case ExprKind::swizzle:
    case ExprKind::dereference:
    case ExprKind::compound_literal:
        return load(place(id));
    case ExprKind::address: {
        return address(in_memory(place(e.a)), e.type, e.token);
    }
    case ExprKind::unary:
        return unary(e);
    case ExprKind::step:
        return step(e);
    case ExprKind::binary:
        return binary_expression(e);
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
        return value(e.b);
    case ExprKind::call:
        return call(e);
    case ExprKind::builtin:
        return builtin(e);
    case ExprKind::vector:
        return vector(e);
    case ExprKind::initialiser: {
        const Place p = temporary(e.type, e.token);
        initialise(p, id);
        return load(p);
    }
    case ExprKind::statements:
        return statements(e);
    case ExprKind::convert:
        return conversion(e);
    }
    refuse(e.token, "this expression has no form in SPIR-V");
}

/// Evaluates an expression only for its side effects.
void Emitter::effects(ExprId id) {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::comma) {
        effects(e.a);
        effects(e.b);
    } else if (e.lvalue && !e.type.is_volatile()) {
        static_cast<void>(place(id));
    } else if (e.kind == ExprKind::assign && types_.is_record(e.type)) {
        const Place to = place(e.a);
        copy(to, e.b);
    } else {
        static_cast<void>(value(id));
    }
}

Id Emitter::call(const Expr& e) {
    Words operands{function_id(e.index)};
    for (const ExprId argument : tree_.items(e.list)) {
        operands.push_back(value(argument));
    }
    return make(Opcode::function_call, type(e.type, e.token), operands);
}

Id Emitter::assign(const Expr& e) {
    const Id v = value(e.b);
    store(place(e.a), v);
    return v;
}

Id Emitter::compound(const Expr& e) {
    const Id right = value(e.b);
    const Place p = place(e.a);
    const Id old = load(p);
    const Type own = e.type;
    Id made = 0;
    if (types_.is_pointer(own)) {
        Id index = index_of(right, type_of(e.b));
        index = e.op == opencl_c::Op::subtract ? make(Opcode::s_negate, number_type(TypeKind::long_), {index})
                                               : index;
        made = offset_pointer(old, types_.element(own), index, e.token);
    } else {
        const Shape computed = shape(Type(e.index >> 8));
        const Id left = converted(old, shape(own), computed.kind);
        made = e.op == opencl_c::Op::shift_left || e.op == opencl_c::Op::shift_right
                   ? shift(e.op, computed, left, right, shape(type_of(e.b)))
                   : binary(e.op, computed, left, right, e.token);
        made = types_.is(own, TypeKind::bool_) ? mask(is_true(made, Type(e.index >> 8)), {TypeKind::uchar, 1})
                                               : converted(made, computed, shape(own).kind);
    }
    store(p, made);
    return made;
}

Id Emitter::step(const Expr& e) {
    const Place p = place(e.a);
    const Id old = load(p);
    const bool adds = e.op == opencl_c::Op::pre_increment || e.op == opencl_c::Op::post_increment;
    const bool before = e.op == opencl_c::Op::pre_increment || e.op == opencl_c::Op::pre_decrement;
    Id made = 0;
    if (types_.is_pointer(e.type)) {
        const Id by = integer(TypeKind::long_, adds ? 1 : ~std::uint64_t{0});
        made = offset_pointer(old, types_.element(e.type), by, e.token);
    } else if (types_.is(e.type, TypeKind::bool_)) {
        const Id one = integer(TypeKind::uchar, 1);
        made = adds ? one : make(Opcode::bitwise_xor, number_type(TypeKind::uchar), {old, one});
    } else {
        const Shape s = shape(e.type);
        const Id one = is_floating(s.kind) ? real(s.kind, 1, s.lanes) : integer(s.kind, 1, s.lanes);
        made = binary(adds ? opencl_c::Op::add : opencl_c::Op::subtract, s, old, one, e.token);
    }
    store(p, made);
    return before ? made : old;
}

Id Emitter::conditional(const Expr& e) {
    if (types_.is_vector(type_of(e.a))) {
        const Shape c = shape(type_of(e.a));
        const Id test = value(e.a);
        const Id a = value(e.b);
        const Id b = value(e.c);
        const Id chosen = make(Opcode::s_less_than, bool_type(c.lanes), {test, integer(c.kind, 0, c.lanes)});
        return make(Opcode::select, type(e.type, e.token), {chosen, a, b});
    }
    const bool has_value = !types_.is_void(e.type);
    const Id result = has_value ? type(e.type, e.token) : 0;
    const auto branch = [&](ExprId id) {
        if (has_value) {
            return value(id);
        }
        effects(id);
        return Id{0};
    };
    const Id test = condition(e.a);
    return choose(
        result, test, [&] { return branch(e.b); }, [&] { return branch(e.c); });
}

Id Emitter::vector(const Expr& e) {
    if (const auto lanes = folded_vector(e)) {
        return composite(shape(e.type), *lanes);
    }
    const Shape s = shape(e.type);
    Words parts;
    for (const ExprId item : tree_.items(e.list)) {
        const Id one = value(item);
        const unsigned lanes = types_.lanes(type_of(item));
        for (std::uint32_t i = 0; lanes > 1 && i < lanes; ++i) {
            parts.push_back(lane(one, {s.kind, lanes}, i));
        }
        if (lanes == 1) {
            parts.push_back(one);
        }
    }
    return make(Opcode::composite_construct, number_type(s.kind, s.lanes), parts);
}

Id Emitter::statements(const Expr& e) {
    for (StmtId id : tree_.items(tree_.stmt(e.index).list)) {
        while (tree_.stmt(id).kind == StmtKind::label) {
            begin(label_of(tree_.stmt(id).label));
            id = tree_.stmt(id).body;
        }
        if (e.a != 0 && tree_.stmt(id).expr == e.a) {
            return value(e.a);
        }
        statement(id);
    }
    return 0;
}

/// Casts a pointer. The address is unchanged.
Id Emitter::pointer_cast(Id pointer, Type from, Type to) {
    const Id target = type(to);
    return type(from) == target ? pointer : make(Opcode::bitcast, target, {pointer});
}

} // namespace ferry::emit_spirv
