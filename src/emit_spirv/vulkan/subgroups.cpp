// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

// Functions of sub-groups.
namespace ferry::emit_spirv::vulkan {

Id VulkanEmitter::subgroup(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    const Id word = number_type(TypeKind::uint);
    module_->require(Capability::group_non_uniform);
    struct Input {
        std::string_view name;
        BuiltIn number;
    };
    static constexpr Input inputs[] = {
        {"get_sub_group_size", BuiltIn::subgroup_size},
        {"get_max_sub_group_size", BuiltIn::subgroup_size},
        {"get_num_sub_groups", BuiltIn::num_subgroups},
        {"get_enqueued_num_sub_groups", BuiltIn::num_subgroups},
        {"get_sub_group_id", BuiltIn::subgroup_id},
        {"get_sub_group_local_id", BuiltIn::subgroup_local_invocation_id},
    };
    for (const Input& i : inputs) {
        if (i.name == name) {
            return input(i.number, word);
        }
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
