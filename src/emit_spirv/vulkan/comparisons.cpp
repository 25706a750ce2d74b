// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>

// Comparisons that a driver must not take for a part of a sum or difference that is limited to the range of
// its type.
namespace ferry::emit_spirv::vulkan {

using opencl_c::Op;

namespace {

bool is_order(Op op) {
    return op == Op::less || op == Op::greater || op == Op::less_equal || op == Op::greater_equal;
}

bool is_short(TypeKind kind) {
    return kind == TypeKind::uchar || kind == TypeKind::ushort;
}

} // namespace

/// Whether a text has a division, or a function of fractions, which may divide.
bool VulkanEmitter::divides(const Tree& tree) {
    return std::any_of(tree.exprs.begin(), tree.exprs.end(), [&](const Expr& e) {
        const bool operates = e.kind == ExprKind::binary || e.kind == ExprKind::compound;
        const bool subtracts_pointers =
            operates && e.op == Op::subtract && tree.types.is_pointer(tree.exprs[e.b].type);
        return (operates && (e.op == Op::divide || e.op == Op::remainder)) || subtracts_pointers ||
               (e.kind == ExprKind::builtin && tree.types.has_floats(e.type));
    });
}

/// Whether numbers are compared of which the driver may limit the sum or the difference.
bool VulkanEmitter::may_limit(const Expr& e, Shape s) const {
    const auto was_short = [&](ExprId id) {
        const Expr& operand = expr(id);
        return operand.kind == ExprKind::convert && is_short(types_.kind(type_of(operand.a)));
    };
    return hides_limits_ && is_order(e.op) &&
           (s.kind == TypeKind::ulong || is_short(s.kind) ||
            (s.kind == TypeKind::int_ && (was_short(e.a) || was_short(e.b))));
}

Id VulkanEmitter::user_comparison(const Expr& e, Shape s, Id a, Id b) {
    if (!may_limit(e, s)) {
        return Emitter::user_comparison(e, s, a, b);
    }
    const bool strict = e.op == Op::less || e.op == Op::greater;
    const bool by_left = e.op == Op::greater || e.op == Op::less_equal; // a > b: the smaller one is not a
    return comparison(strict ? Op::not_equal : Op::equal, s.kind, s.lanes, smaller(s, a, b), by_left ? a : b);
}

} // namespace ferry::emit_spirv::vulkan
