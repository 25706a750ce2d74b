// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

// Work-item functions, barriers and fences.
namespace ferry::emit_spirv {

/// The value of a built-in variable.
Id Emitter::input(BuiltIn number, Id type) {
    const auto [at, is_new] = input_variables_.emplace(number, 0);
    if (is_new) {
        at->second = module_->variable(pointer_type(StorageClass::input, type), StorageClass::input);
        module_->decorate(at->second, Decoration::built_in, {static_cast<std::uint32_t>(number)});
        module_->decorate(at->second, Decoration::constant);
    }
    body_.inputs.insert(at->second);
    return make(Opcode::load, type, {at->second});
}

/// One of three components. `beyond` is the result for other dimensions.
Id Emitter::dimension(BuiltIn number, Id index, ExprId given, std::uint64_t beyond) {
    const Id word = number_type(TypeKind::ulong);
    const Id three = number_type(TypeKind::ulong, 3);
    if (const auto known = folded(given)) {
        const std::uint64_t at = (*known)[0];
        return at < 3 ? make(Opcode::composite_extract, word,
                             {input(number, three), static_cast<std::uint32_t>(at)})
                      : integer(TypeKind::ulong, beyond);
    }
    const Id all = input(number, three);
    Id chosen = integer(TypeKind::ulong, beyond);
    for (std::uint32_t d = 0; d < 3; ++d) {
        const Id one = make(Opcode::composite_extract, word, {all, d});
        const Id is_this = make(Opcode::i_equal, bool_type(), {index, u32(d)});
        chosen = make(Opcode::select, word, {is_this, one, chosen});
    }
    return chosen;
}

Id Emitter::work_item(const Expr& e, const Words& arguments) {
    struct Row {
        std::string_view name;
        BuiltIn number;
        std::uint64_t beyond;
    };
    static constexpr Row of_dimension[] = {
        {"get_global_size", BuiltIn::global_size, 1},     {"get_global_id", BuiltIn::global_invocation_id, 0},
        {"get_local_size", BuiltIn::workgroup_size, 1},   {"get_local_id", BuiltIn::local_invocation_id, 0},
        {"get_num_groups", BuiltIn::num_workgroups, 1},   {"get_group_id", BuiltIn::workgroup_id, 0},
        {"get_global_offset", BuiltIn::global_offset, 0},
    };
    static constexpr Row of_all[] = {
        {"get_work_dim", BuiltIn::work_dim, 0},
        {"get_sub_group_size", BuiltIn::subgroup_size, 0},
        {"get_max_sub_group_size", BuiltIn::subgroup_max_size, 0},
        {"get_num_sub_groups", BuiltIn::num_subgroups, 0},
        {"get_enqueued_num_sub_groups", BuiltIn::num_enqueued_subgroups, 0},
        {"get_sub_group_id", BuiltIn::subgroup_id, 0},
        {"get_sub_group_local_id", BuiltIn::subgroup_local_invocation_id, 0},
    };
    for (const Row& row : of_dimension) {
        if (row.name == name_of(e)) {
            return dimension(row.number, arguments[0], tree_.items(e.list)[0], row.beyond);
        }
    }
    for (const Row& row : of_all) {
        if (row.name == name_of(e)) {
            return input(row.number, number_type(TypeKind::uint));
        }
    }
    refuse(e.token, "the built-in function '" + std::string(name_of(e)) + "' is not emitted as SPIR-V");
}

/// The semantics of the memory that a combination of CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE names.
/// `global`: those of global memory. If the value is not constant, both kinds of memory are ordered.
std::uint32_t Emitter::fenced_memory(ExprId flags, std::uint32_t global) {
    constexpr std::uint64_t both = 3;
    const auto known = folded(flags);
    const std::uint64_t value = known ? (*known)[0] : both;
    return (value & 1 ? semantics_workgroup_memory : 0) | (value & 2 ? global : 0);
}

/// Emits a barrier, or a fence if `execution` has no value.
void Emitter::fence(ExprId given, std::uint32_t ordering, std::optional<std::uint32_t> execution) {
    const std::uint32_t semantics = fenced_memory(given, semantics_global_memory);
    const Id order = u32(semantics == 0 ? 0 : ordering | semantics);
    const Id memory = u32(scope_workgroup);
    if (execution) {
        act(Opcode::control_barrier, {u32(*execution), memory, order});
    } else {
        act(Opcode::memory_barrier, {memory, order});
    }
}

Id Emitter::barrier(const Expr& e, const Words&) {
    const std::string_view name = name_of(e);
    const ExprId flags = tree_.items(e.list)[0];
    if (name.ends_with("mem_fence")) {
        const std::uint32_t ordering = name == "read_mem_fence"    ? semantics_acquire
                                       : name == "write_mem_fence" ? semantics_release
                                                                   : semantics_acquire_release;
        fence(flags, ordering, std::nullopt);
    } else {
        fence(flags, semantics_sequential, name == "sub_group_barrier" ? scope_subgroup : scope_workgroup);
    }
    return 0;
}

} // namespace ferry::emit_spirv
