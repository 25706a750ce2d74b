// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <array>

// Functions of work-groups and sub-groups.
namespace ferry::emit_spirv {
namespace {

std::uint32_t scope_of(std::string_view name) {
    return name.starts_with("work_group") ? scope_workgroup : scope_subgroup;
}

} // namespace

Id Emitter::group_vote(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    module_->require(Capability::groups);
    const Id truth = make(Opcode::i_not_equal, bool_type(), {arguments[0], integer(TypeKind::int_, 0)});
    const Opcode opcode = name.ends_with("any") ? Opcode::group_any : Opcode::group_all;
    return mask(make(opcode, bool_type(), {u32(scope_of(name)), truth}), shape(e.type));
}

Id Emitter::group_operation(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    module_->require(Capability::groups);
    const std::uint32_t operation = name.find("_reduce_") != std::string_view::npos ? group_reduce
                                    : name.find("_inclusive_") != std::string_view::npos
                                        ? group_inclusive_scan
                                        : group_exclusive_scan;
    struct Row {
        std::string_view end;
        Opcode of_floats, of_signed, of_unsigned;
    };
    constexpr std::array<Row, 3> rows{
        {{"_add", Opcode::group_f_add, Opcode::group_i_add, Opcode::group_i_add},
         {"_min", Opcode::group_f_min, Opcode::group_s_min, Opcode::group_u_min},
         {"_max", Opcode::group_f_max, Opcode::group_s_max, Opcode::group_u_max}}};
    const Shape s = shape(e.type);
    for (const Row& row : rows) {
        if (name.ends_with(row.end)) {
            const Opcode opcode = is_floating(s.kind) ? row.of_floats
                                  : is_signed(s.kind) ? row.of_signed
                                                      : row.of_unsigned;
            return make(opcode, number_type(s.kind), {u32(scope_of(name)), operation, arguments[0]});
        }
    }
    refuse(e.token, "the built-in function '" + std::string(name) + "' is not emitted as SPIR-V");
}

Id Emitter::group_broadcast(const Expr& e, const Words& arguments) {
    module_->require(Capability::groups);
    Id from = arguments[1];
    if (arguments.size() > 2) {
        const auto lanes = static_cast<unsigned>(arguments.size() - 1);
        from = make(Opcode::composite_construct, number_type(TypeKind::ulong, lanes),
                    Words(arguments.begin() + 1, arguments.end()));
    }
    return make(Opcode::group_broadcast, type(e.type), {u32(scope_of(name_of(e))), arguments[0], from});
}

Id Emitter::subgroup_shuffle(const Expr& e, const Words& arguments) {
    std::string_view name = name_of(e);
    const bool xors = name.ends_with("_xor");
    const bool up = name.ends_with("_up");
    const bool down = name.ends_with("_down");
    if (name.starts_with("intel")) {
        module_->require(Capability::subgroup_shuffle_intel);
        module_->require_extension("SPV_INTEL_subgroups");
        const Opcode opcode = xors   ? Opcode::subgroup_shuffle_xor_intel
                              : up   ? Opcode::subgroup_shuffle_up_intel
                              : down ? Opcode::subgroup_shuffle_down_intel
                                     : Opcode::subgroup_shuffle_intel;
        return make(opcode, type(e.type), arguments);
    }
    module_->require_version(3);
    module_->require(Capability::group_non_uniform);
    module_->require(up || down ? Capability::group_non_uniform_shuffle_relative
                                : Capability::group_non_uniform_shuffle);
    const Opcode opcode = xors   ? Opcode::group_non_uniform_shuffle_xor
                          : up   ? Opcode::group_non_uniform_shuffle_up
                          : down ? Opcode::group_non_uniform_shuffle_down
                                 : Opcode::group_non_uniform_shuffle;
    return make(opcode, type(e.type), {u32(scope_subgroup), arguments[0], arguments[1]});
}

Id Emitter::subgroup_ballot(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    module_->require_version(3);
    module_->require(Capability::group_non_uniform);
    module_->require(Capability::group_non_uniform_ballot);
    struct Mask {
        std::string_view name;
        BuiltIn number;
    };
    static constexpr Mask masks[] = {{"get_sub_group_eq_mask", BuiltIn::subgroup_eq_mask},
                                     {"get_sub_group_ge_mask", BuiltIn::subgroup_ge_mask},
                                     {"get_sub_group_gt_mask", BuiltIn::subgroup_gt_mask},
                                     {"get_sub_group_le_mask", BuiltIn::subgroup_le_mask},
                                     {"get_sub_group_lt_mask", BuiltIn::subgroup_lt_mask}};
    for (const Mask& m : masks) {
        if (m.name == name) {
            return input(m.number, type(e.type));
        }
    }
    const Id scope = u32(scope_subgroup);
    if (name == "sub_group_ballot") {
        const Id truth = make(Opcode::i_not_equal, bool_type(), {arguments[0], integer(TypeKind::int_, 0)});
        return make(Opcode::group_non_uniform_ballot, type(e.type), {scope, truth});
    }
    if (name == "sub_group_inverse_ballot" || name == "sub_group_ballot_bit_extract") {
        Words operands{scope};
        operands.insert(operands.end(), arguments.begin(), arguments.end());
        const Opcode opcode = arguments.size() == 1 ? Opcode::group_non_uniform_inverse_ballot
                                                    : Opcode::group_non_uniform_ballot_bit_extract;
        return mask(make(opcode, bool_type(), operands), shape(e.type));
    }
    if (name.ends_with("find_lsb") || name.ends_with("find_msb")) {
        return make(name.ends_with("lsb") ? Opcode::group_non_uniform_ballot_find_lsb
                                          : Opcode::group_non_uniform_ballot_find_msb,
                    type(e.type), {scope, arguments[0]});
    }
    const std::uint32_t operation = name.ends_with("bit_count")                        ? group_reduce
                                    : name.find("inclusive") != std::string_view::npos ? group_inclusive_scan
                                                                                       : group_exclusive_scan;
    return make(Opcode::group_non_uniform_ballot_bit_count, type(e.type), {scope, operation, arguments[0]});
}

} // namespace ferry::emit_spirv
