// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>

// Built-in functions on memory: vload and vstore, atomic functions, barriers and copies.
namespace ferry::emit_spirv::vulkan {

Id VulkanEmitter::access_vector(const Expr& e, const Words& arguments) {
    const bool loads = name_of(e).starts_with("vload");
    const Shape s = loads ? shape(e.type) : argument_shape(e, 0);
    const Id offset = arguments[loads ? 0 : 1];
    const Type pointee = types_.element(argument_type(e, loads ? 1 : 2));
    const Id index =
        make(Opcode::i_mul, number_type(TypeKind::ulong), {offset, integer(TypeKind::ulong, s.lanes)});
    const Id first = moved(arguments[loads ? 1 : 2], pointee, index, e.token);
    const std::uint32_t align = opencl_c::size_of(s.kind);
    return at_object(first, storage_of(pointee.space()), loads ? type(e.type) : 0, [&](Id pointer) {
        if (loads) {
            return read_number(pointer, s, align, pointee.is_volatile());
        }
        write_number(pointer, s, arguments[0], align, pointee.is_volatile());
        return Id{0};
    });
}

Id VulkanEmitter::access_half_bits(const Expr& e, const Words& arguments) {
    constexpr std::uint32_t unpack_half = 62;
    const std::string_view name = name_of(e);
    const bool loads = name.starts_with("vload");
    const bool aligned = name.find("a_half") != std::string_view::npos;
    const Shape s = loads ? shape(e.type) : argument_shape(e, 0);
    const unsigned step = aligned && s.lanes == 3 ? 4 : s.lanes;
    const Type pointee = types_.element(argument_type(e, loads ? 1 : 2));
    const Id index = make(Opcode::i_mul, number_type(TypeKind::ulong),
                          {arguments[loads ? 0 : 1], integer(TypeKind::ulong, step)});
    const Id first = moved(arguments[loads ? 1 : 2], pointee, index, e.token);
    const Shape bits{TypeKind::ushort, s.lanes};
    const StorageClass storage = storage_of(pointee.space());
    if (!loads) {
        const FunctionId function = library_function_for("half_bits", s.kind);
        const std::uint32_t mode = rounding_number(name);
        const Id stored = each_lane(bits, {{arguments[0], s}}, [&](const Words& one) {
            return call_library(function, {one[0], integer(TypeKind::int_, mode)});
        });
        return at_object(first, storage, 0, [&](Id pointer) {
            write_number(pointer, bits, stored, 2, pointee.is_volatile());
            return Id{0};
        });
    }
    const Id halves = at_object(first, storage, number_type(bits.kind, bits.lanes), [&](Id pointer) {
        return read_number(pointer, bits, 2, pointee.is_volatile());
    });
    return each_lane(s, {{halves, bits}}, [&](const Words& one) {
        const Id word = make(Opcode::u_convert, number_type(TypeKind::uint), {one[0]});
        const Id pair = glsl(number_type(TypeKind::float_, 2), unpack_half, {word});
        return make(Opcode::composite_extract, number_type(TypeKind::float_), {pair, 0});
    });
}

/// A pointer of SPIR-V to an integer, for atomic functions.
Id VulkanEmitter::atomic_pointer(Id pointer, TypeKind kind) {
    const Reference* const known = reference(pointer);
    if (known == nullptr) {
        return physical(pointer, kind, 1);
    }
    if (known->bytes == 0 && type(known->leaf) == number_type(kind)) {
        return chained(*known, number_type(kind));
    }
    const bool same = known->bytes != 0 && !types_.is_pointer(known->leaf) &&
                      number_type(shape(known->leaf).kind) == number_type(kind);
    if (!same) {
        flatten(*known, unsigned_of(opencl_c::size_of(kind)), 0);
    }
    return unit_pointer(*known, 0);
}

Id VulkanEmitter::word_pointer(Id pointer, Type) {
    return atomic_pointer(pointer, TypeKind::uint);
}

Id VulkanEmitter::atomic_in_vulkan(const Expr& e, const Words& arguments) {
    const StorageClass storage = storage_of(types_.element(argument_type(e, 0)).space());
    return at_object(arguments[0], storage, type(e.type), [&](Id pointer) {
        Words own = arguments;
        own[0] = pointer;
        return atomic_at(e, own);
    });
}

Id VulkanEmitter::atomic_at(const Expr& e, const Words& arguments) {
    if (name_of(e) == "ferry_atomic_add_float") {
        return atomic_add_float(e, arguments);
    }
    if (!is_floating(shape(e.type).kind)) {
        return atomic(e, arguments);
    }
    const Id word = number_type(TypeKind::uint);
    const Id bits = make(Opcode::bitcast, word, {arguments[1]});
    const Id pointer = atomic_pointer(arguments[0], TypeKind::uint);
    const Id old = make(Opcode::atomic_exchange, word, {pointer, u32(scope_device), u32(0), bits});
    return make(Opcode::bitcast, number_type(TypeKind::float_), {old});
}

Id VulkanEmitter::synchronize(const Expr& e, const Words&) {
    const std::string_view name = name_of(e);
    const std::uint32_t memory = name == "wait_group_events"
                                     ? semantics_uniform_memory | semantics_workgroup_memory
                                     : fenced_memory(tree_.items(e.list)[0], semantics_uniform_memory);
    // An order needs some memory.
    const Id order = u32(semantics_acquire_release | (memory != 0 ? memory : semantics_workgroup_memory));
    if (name.ends_with("mem_fence")) {
        act(Opcode::memory_barrier, {u32(scope_workgroup), order});
        return 0;
    }
    const std::uint32_t scope = name == "sub_group_barrier" ? scope_subgroup : scope_workgroup;
    if (scope == scope_subgroup) {
        module_->require(Capability::group_non_uniform);
    }
    act(Opcode::control_barrier, {u32(scope), u32(scope_workgroup), order});
    return 0;
}

Id VulkanEmitter::local_number(BuiltIn number, std::uint32_t dimension) {
    const Id word =
        number == BuiltIn::workgroup_size ? group_size_[dimension] : input_word(number, dimension);
    return make(Opcode::u_convert, number_type(TypeKind::ulong), {word});
}

/// The value of a built-in variable.
Id VulkanEmitter::input(BuiltIn number, Id type) {
    const auto [at, is_new] = input_variables_.emplace(number, 0);
    if (is_new) {
        at->second = module_->variable(pointer_type(StorageClass::input, type), StorageClass::input);
        module_->decorate(at->second, Decoration::built_in, {static_cast<std::uint32_t>(number)});
    }
    body_.inputs.insert(at->second);
    return make(Opcode::load, type, {at->second});
}

/// Puts the components into an array and takes those that the mask selects.
Id VulkanEmitter::shuffled(const Expr& e, const Words& arguments) {
    const Shape s = argument_shape(e, 0);
    const bool two = arguments.size() == 3;
    const Shape m = argument_shape(e, two ? 2 : 1);
    const unsigned count = s.lanes * (two ? 2 : 1);
    const Id element = number_type(s.kind);
    const auto source = [&](std::uint32_t i) { return lane(arguments[i / s.lanes], s, i % s.lanes); };
    Words lanes;
    if (const auto known = folded(tree_.items(e.list)[two ? 2 : 1]); known && known->size() == m.lanes) {
        for (const std::uint64_t i : *known) {
            lanes.push_back(source(static_cast<std::uint32_t>(i & (count - 1))));
        }
        return assembled(shape(e.type), lanes);
    }
    const Id array = new_variable(array_type(element, count), 0);
    const auto at = [&](Id index) {
        return make(Opcode::access_chain, pointer_type(StorageClass::function, element), {array, index});
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        store_chain(at(u32(i)), source(i), false);
    }
    const Id word = number_type(TypeKind::uint);
    for (std::uint32_t i = 0; i < m.lanes; ++i) {
        const Id wide = converted(lane(arguments.back(), m, i), {m.kind, 1}, TypeKind::uint);
        lanes.push_back(
            load_chain(at(make(Opcode::bitwise_and, word, {wide, u32(count - 1)})), element, false));
    }
    return assembled(shape(e.type), lanes);
}

} // namespace ferry::emit_spirv::vulkan
