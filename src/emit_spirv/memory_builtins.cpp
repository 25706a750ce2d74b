// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "extended_table.hpp"

#include <algorithm>
#include <array>

// The functions vload and vstore, and copies by a work-group.
namespace ferry::emit_spirv {

/// Accesses a vector with the alignment of its elements. A vector of three has no fourth element in memory.
Id Emitter::access(const Expr& e, const Words& arguments) {
    const bool loads = name_of(e).starts_with("vload");
    const Shape s = loads ? shape(e.type) : argument_shape(e, 0);
    const Id offset = arguments[loads ? 0 : 1];
    const Id pointer = arguments[loads ? 1 : 2];
    const Type pointee = types_.element(argument_type(e, loads ? 1 : 2));
    const StorageClass storage = storage_of(pointee.space());
    const Id element = number_type(s.kind);
    const Id vector = number_type(s.kind, s.lanes);
    const Id element_pointer = pointer_type(storage, element);
    const std::uint32_t align = opencl_c::size_of(s.kind);
    const Id index =
        make(Opcode::i_mul, number_type(TypeKind::ulong), {offset, integer(TypeKind::ulong, s.lanes)});
    const Id first = make(Opcode::in_bounds_ptr_access_chain, element_pointer, {pointer, index});
    if (s.lanes != 3) {
        const Id whole = make(Opcode::bitcast, pointer_type(storage, vector), {first});
        if (loads) {
            return load_memory(whole, vector, align, pointee.is_volatile());
        }
        store_memory(whole, arguments[0], align, pointee.is_volatile());
        return 0;
    }
    Words parts;
    for (std::uint32_t i = 0; i < 3; ++i) {
        const Id at =
            make(Opcode::in_bounds_ptr_access_chain, element_pointer, {first, integer(TypeKind::ulong, i)});
        if (loads) {
            parts.push_back(load_memory(at, element, align, pointee.is_volatile()));
        } else {
            const Id one = make(Opcode::composite_extract, element, {arguments[0], i});
            store_memory(at, one, align, pointee.is_volatile());
        }
    }
    return loads ? make(Opcode::composite_construct, vector, parts) : 0;
}

Id Emitter::access_half(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    const bool loads = name.starts_with("vload");
    const bool aligned = name.find("a_half") != std::string_view::npos;
    const Shape s = loads ? shape(e.type) : argument_shape(e, 0);
    const bool one = s.lanes == 1;
    const Id result = type(e.type);
    if (loads) {
        if (one) {
            return extended(result, extended_vload_half, arguments);
        }
        Words operands = arguments;
        operands.push_back(s.lanes);
        return extended(result, aligned ? extended_vloada_halfn : extended_vload_halfn, operands);
    }
    constexpr std::array<std::string_view, 4> modes{"_rte", "_rtz", "_rtp", "_rtn"};
    const auto* const mode =
        std::find_if(modes.begin(), modes.end(), [&](std::string_view m) { return name.ends_with(m); });
    const bool rounds = mode != modes.end();
    Words operands = arguments;
    if (rounds) {
        operands.push_back(static_cast<std::uint32_t>(mode - modes.begin()));
    }
    const std::uint32_t number = one       ? (rounds ? extended_vstore_half_r : extended_vstore_half)
                                 : aligned ? (rounds ? extended_vstorea_halfn_r : extended_vstorea_halfn)
                                           : (rounds ? extended_vstore_halfn_r : extended_vstore_halfn);
    return extended(result, number, operands);
}

Id Emitter::local_number(BuiltIn number, std::uint32_t dimension) {
    const Id all = input(number, number_type(TypeKind::ulong, 3));
    return make(Opcode::composite_extract, number_type(TypeKind::ulong), {all, dimension});
}

/// Each work-item copies a part of the elements. wait_group_events() is emitted as a barrier.
Id Emitter::group_copy(const Expr& e, const Words& arguments) {
    const bool strided = name_of(e).ends_with("strided_copy");
    const Type to = types_.element(argument_type(e, 0));
    const Type from = types_.element(argument_type(e, 1));
    const Id word = number_type(TypeKind::ulong);
    Id first = local_number(BuiltIn::local_invocation_id, 2);
    Id items = local_number(BuiltIn::workgroup_size, 2);
    for (const std::uint32_t d : {1U, 0U}) {
        const Id size = local_number(BuiltIn::workgroup_size, d);
        first =
            make(Opcode::i_add, word,
                 {make(Opcode::i_mul, word, {first, size}), local_number(BuiltIn::local_invocation_id, d)});
        items = make(Opcode::i_mul, word, {items, size});
    }
    const auto at = [&](Id pointer, Type pointee, Id index) {
        const bool global = pointee.space() == Space::global;
        const Id place = strided && global ? make(Opcode::i_mul, word, {index, arguments[3]}) : index;
        Place p = pointed_to(pointer, pointee, e.token);
        p.pointer = moved(p.pointer, pointee, place, e.token);
        return p;
    };
    count_up(first, arguments[2], items, [&](Id i) {
        const Id one = load(at(arguments[1], from, i));
        store(at(arguments[0], to, i), one);
    });
    return integer(TypeKind::ulong, 0);
}

Id Emitter::wait_for_copies(const Expr&, const Words&) {
    act(Opcode::control_barrier,
        {u32(scope_workgroup), u32(scope_workgroup),
         u32(semantics_sequential | semantics_workgroup_memory | semantics_global_memory)});
    return 0;
}

} // namespace ferry::emit_spirv
