// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "extended_table.hpp"

#include <algorithm>

// Calls of built-in functions. Each function is one extended instruction (extended_table.cpp) or has a
// handler here.
namespace ferry::emit_spirv {

Emitter::Handler Emitter::handler_of(std::string_view name) const {
    struct Row {
        std::string_view names; ///< See is_listed().
        Handler handler;
    };
    static constexpr Row rows[] = {
        {"isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered "
         "isunordered isfinite isinf isnan isnormal signbit",
         &Emitter::relational},
        {"any all", &Emitter::any_or_all},
        {"select", &Emitter::select_builtin},
        {"dot", &Emitter::dot},
        {"dot_acc_sat* dot_4x8packed*", &Emitter::integer_dot},
        {"shuffle shuffle2", &Emitter::shuffle},
        {"printf", &Emitter::print},
        {"get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask get_sub_group_le_mask "
         "get_sub_group_lt_mask sub_group_ballot* sub_group_inverse_ballot",
         &Emitter::subgroup_ballot},
        {"get_*", &Emitter::work_item},
        {"barrier work_group_barrier sub_group_barrier mem_fence read_mem_fence write_mem_fence",
         &Emitter::barrier},
        {"ferry_atomic_add_float", &Emitter::atomic_add_float},
        {"atomic_* atom_*", &Emitter::atomic},
        {"vload_half* vstore_half* vloada_half* vstorea_half*", &Emitter::access_half},
        {"vload* vstore*", &Emitter::access},
        {"async_work_group_copy async_work_group_strided_copy", &Emitter::group_copy},
        {"wait_group_events", &Emitter::wait_for_copies},
        {"sub_group_any sub_group_all work_group_any work_group_all", &Emitter::group_vote},
        {"sub_group_broadcast work_group_broadcast", &Emitter::group_broadcast},
        {"sub_group_reduce* sub_group_scan* work_group_reduce* work_group_scan*", &Emitter::group_operation},
        {"sub_group_shuffle* intel_sub_group_shuffle*", &Emitter::subgroup_shuffle},
    };
    for (const Row& row : rows) {
        if (is_listed(name, row.names)) {
            return row.handler;
        }
    }
    return nullptr;
}

bool Emitter::is_listed(std::string_view name, std::string_view list) {
    while (!list.empty()) {
        std::string_view word = list.substr(0, list.find(' '));
        list.remove_prefix(std::min(word.size() + 1, list.size()));
        const bool prefix = word.back() == '*';
        word.remove_suffix(prefix ? 1 : 0);
        if (prefix ? name.starts_with(word) : name == word) {
            return true;
        }
    }
    return false;
}

Type Emitter::argument_type(const Expr& e, std::size_t index) const {
    return type_of(tree_.items(e.list)[index]);
}

Shape Emitter::argument_shape(const Expr& e, std::size_t index) const {
    return shape(argument_type(e, index));
}

Id Emitter::builtin(const Expr& e) {
    const std::string_view name = name_of(e);
    Words arguments;
    for (const ExprId a : tree_.items(e.list)) {
        arguments.push_back(value(a));
    }
    if (name.starts_with("convert_") || name.starts_with("as_")) {
        return call_conversion(e, name, arguments[0]);
    }
    if (const Handler handler = handler_of(name)) {
        return (this->*handler)(e, arguments);
    }
    if (const auto made = extended_builtin(e, name, arguments)) {
        return *made;
    }
    refuse(e.token, "the built-in function '" + std::string(name) + "' is not emitted as SPIR-V");
}

/// Emits a built-in function as one extended instruction. A scalar argument next to vectors applies to all
/// components.
std::optional<Id> Emitter::extended_builtin(const Expr& e, std::string_view name, Words& arguments) {
    unsigned lanes = 1;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        lanes = std::max(lanes, types_.lanes(argument_type(e, i)));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Type t = argument_type(e, i);
        if (lanes > 1 && types_.is_arithmetic(t)) {
            arguments[i] = splat(arguments[i], {shape(t).kind, lanes});
        }
    }
    const TypeKind kind = argument_shape(e, 0).kind;
    const auto number = extended_number(name, is_floating(kind), is_signed(kind));
    if (name == "abs" && !is_signed(kind)) {
        return arguments[0];
    }
    if (name == "prefetch") {
        return Id{0};
    }
    return number ? std::optional(extended(type(e.type, e.token), *number, arguments)) : std::nullopt;
}

Id Emitter::relational(const Expr& e, const Words& arguments) {
    struct Row {
        std::string_view name;
        Opcode opcode;
    };
    static constexpr Row rows[] = {
        {"isequal", Opcode::f_ord_equal},
        {"isnotequal", Opcode::f_unord_not_equal},
        {"isgreater", Opcode::f_ord_greater_than},
        {"isgreaterequal", Opcode::f_ord_greater_than_equal},
        {"isless", Opcode::f_ord_less_than},
        {"islessequal", Opcode::f_ord_less_than_equal},
        {"islessgreater", Opcode::f_ord_not_equal},
        {"isordered", Opcode::ordered},
        {"isunordered", Opcode::unordered},
        {"isfinite", Opcode::is_finite},
        {"isinf", Opcode::is_inf},
        {"isnan", Opcode::is_nan},
        {"isnormal", Opcode::is_normal},
        {"signbit", Opcode::sign_bit_set},
    };
    const auto* const row =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == name_of(e); });
    const Id truth = make(row->opcode, bool_type(types_.lanes(e.type)), arguments);
    return mask(truth, shape(e.type));
}

/// Tests the most significant bit of each component.
Id Emitter::any_or_all(const Expr& e, const Words& arguments) {
    const Shape s = argument_shape(e, 0);
    const Id zero = integer(s.kind, 0, s.lanes);
    Id truth = make(Opcode::s_less_than, bool_type(s.lanes), {arguments[0], zero});
    if (s.lanes > 1) {
        truth = make(name_of(e) == "any" ? Opcode::any : Opcode::all, bool_type(), {truth});
    }
    return mask(truth, shape(e.type));
}

Id Emitter::select_builtin(const Expr& e, const Words& arguments) {
    const Shape c = argument_shape(e, 2);
    const Id zero = integer(c.kind, 0, c.lanes);
    const Opcode opcode = c.lanes > 1 ? Opcode::s_less_than : Opcode::i_not_equal;
    const Id truth = make(opcode, bool_type(c.lanes), {arguments[2], zero});
    return make(Opcode::select, type(e.type), {truth, arguments[1], arguments[0]});
}

Id Emitter::dot(const Expr& e, const Words& arguments) {
    const Shape s = argument_shape(e, 0);
    if (!is_floating(s.kind)) {
        return integer_dot(e, arguments);
    }
    return make(s.lanes == 1 ? Opcode::f_mul : Opcode::dot, number_type(s.kind), arguments);
}

/// The sum of two words, limited to their range.
Id Emitter::limited_sum(bool is_signed, Id a, Id b) {
    return extended(number_type(TypeKind::int_), *extended_number("add_sat", false, is_signed), {a, b});
}

/// Emits a sum of products of bytes, from char4 and uchar4 or packed in a uint.
Id Emitter::integer_dot(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    const bool packed = name.find("packed") != std::string_view::npos;
    const bool accumulates = name.starts_with("dot_acc_sat");
    const Id word = number_type(TypeKind::int_);
    const bool result_signed = is_signed(shape(e.type).kind);
    Words bytes[2];
    for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t mark = name.find("packed_") + 7 + i;
        const bool is_signed_byte = packed ? name[mark] == 's' : is_signed(argument_shape(e, i).kind);
        const Shape byte{is_signed_byte ? TypeKind::char_ : TypeKind::uchar, 4};
        const Id four = packed ? reinterpreted(arguments[i], {TypeKind::uint, 1}, byte) : arguments[i];
        const Id wide = converted(four, byte, TypeKind::int_);
        for (std::uint32_t k = 0; k < 4; ++k) {
            bytes[i].push_back(make(Opcode::composite_extract, word, {wide, k}));
        }
    }
    Id sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        const Id product = make(Opcode::i_mul, word, {bytes[0][k], bytes[1][k]});
        sum = k == 0 ? product : make(Opcode::i_add, word, {sum, product});
    }
    if (accumulates) {
        sum = limited_sum(result_signed, sum, arguments[2]);
    }
    return sum;
}

Id Emitter::shuffle(const Expr& e, const Words& arguments) {
    return extended(type(e.type), name_of(e) == "shuffle" ? extended_shuffle : extended_shuffle2, arguments);
}

Id Emitter::print(const Expr& e, const Words& arguments) {
    return extended(type(e.type), extended_printf, arguments);
}

} // namespace ferry::emit_spirv
