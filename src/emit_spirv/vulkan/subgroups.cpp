// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

// Functions of sub-groups.
namespace ferry::emit_spirv::vulkan {

/// The last sub-group of a group may be smaller. Vulkan's sizes do not say so.
Id VulkanEmitter::place_in_subgroup(std::string_view name) {
    const Id word = number_type(TypeKind::uint);
    if (name == "get_sub_group_id") {
        return input(BuiltIn::subgroup_id, word);
    }
    if (name == "get_sub_group_local_id") {
        return input(BuiltIn::subgroup_local_invocation_id, word);
    }
    const Id size = input(BuiltIn::subgroup_size, word);
    if (name == "get_max_sub_group_size") {
        return size;
    }
    Id items = make(Opcode::i_mul, word, {group_size_[0], group_size_[1]});
    items = make(Opcode::i_mul, word, {items, group_size_[2]});
    if (name == "get_sub_group_size") {
        const Id before = make(Opcode::i_mul, word, {input(BuiltIn::subgroup_id, word), size});
        const Id rest = make(Opcode::i_sub, word, {items, before});
        const Id is_last = make(Opcode::u_less_than, bool_type(), {rest, size});
        return make(Opcode::select, word, {is_last, rest, size});
    }
    const Id most = make(Opcode::i_sub, word, {make(Opcode::i_add, word, {items, size}), u32(1)});
    return make(Opcode::u_div, word, {most, size}); // get_num_sub_groups, get_enqueued_num_sub_groups
}

Id VulkanEmitter::subgroup(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    module_->require(Capability::group_non_uniform);
    if (name.starts_with("get_")) {
        return place_in_subgroup(name);
    }
    const Id scope = u32(scope_subgroup);
    if (name == "sub_group_any" || name == "sub_group_all") {
        module_->require(Capability::group_non_uniform_vote);
        const Id truth = make(Opcode::i_not_equal, bool_type(), {arguments[0], integer(TypeKind::int_, 0)});
        const Opcode opcode =
            name.ends_with("any") ? Opcode::group_non_uniform_any : Opcode::group_non_uniform_all;
        return mask(make(opcode, bool_type(), {scope, truth}), shape(e.type));
    }
    if (name == "sub_group_broadcast" || name.starts_with("intel_")) {
        module_->require(Capability::group_non_uniform_shuffle);
        const Opcode opcode = name.ends_with("_xor") ? Opcode::group_non_uniform_shuffle_xor
                                                     : Opcode::group_non_uniform_shuffle;
        return make(opcode, type(e.type), {scope, arguments[0], arguments[1]});
    }
    struct Row {
        std::string_view end;
        Opcode of_floats, of_signed, of_unsigned;
    };
    static constexpr Row rows[] = {{"_add", Opcode::group_non_uniform_f_add, Opcode::group_non_uniform_i_add,
                                    Opcode::group_non_uniform_i_add},
                                   {"_min", Opcode::group_non_uniform_f_min, Opcode::group_non_uniform_s_min,
                                    Opcode::group_non_uniform_u_min},
                                   {"_max", Opcode::group_non_uniform_f_max, Opcode::group_non_uniform_s_max,
                                    Opcode::group_non_uniform_u_max}};
    const std::uint32_t operation = name.find("_reduce_") != std::string_view::npos ? group_reduce
                                    : name.find("_inclusive_") != std::string_view::npos
                                        ? group_inclusive_scan
                                        : group_exclusive_scan;
    const Shape s = shape(e.type);
    for (const Row& row : rows) {
        if (name.starts_with("sub_group_") && name.ends_with(row.end)) {
            module_->require(Capability::group_non_uniform_arithmetic);
            const Opcode opcode = is_floating(s.kind) ? row.of_floats
                                  : is_signed(s.kind) ? row.of_signed
                                                      : row.of_unsigned;
            return make(opcode, number_type(s.kind), {scope, operation, arguments[0]});
        }
    }
    return refused_builtin(e, arguments);
}

} // namespace ferry::emit_spirv::vulkan
