// SPDX-License-Identifier: Apache-2.0
#include "guard.hpp"

#include "emit_cpp/visit.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace ferry::emit_cpp::host {
namespace {

using opencl_c::Conversion;
using opencl_c::Expr;
using opencl_c::ExprId;
using opencl_c::ExprKind;
using opencl_c::Op;
using opencl_c::Space;
using opencl_c::Stmt;
using opencl_c::StmtId;
using opencl_c::StmtKind;
using opencl_c::Tree;
using opencl_c::VarId;

/// Whether the expression may be evaluated twice, and by work-items that do not need it.
bool is_pure(const Tree& tree, ExprId id) {
    bool pure = true;
    visit_expression(tree, id, [&](const Expr& e) {
        switch (e.kind) {
        case ExprKind::integer:
        case ExprKind::floating:
        case ExprKind::swizzle:
        case ExprKind::unary:
        case ExprKind::binary:
        case ExprKind::logical:
        case ExprKind::conditional:
        case ExprKind::vector:
        case ExprKind::convert:
            break;
        case ExprKind::variable: {
            const Space space = tree.variables[e.index].type.space();
            pure = pure && (space == Space::private_ || space == Space::constant);
            break;
        }
        case ExprKind::member:
            pure = pure && root_variable(tree, e.a) != 0;
            break;
        case ExprKind::builtin: {
            const std::string_view name = tree.names[e.index];
            pure = pure && (name.starts_with("get_") || name == "min" || name == "max");
            break;
        }
        default:
            pure = false;
        }
    });
    return pure;
}

/// Finds whether the work-items of a row for which a condition is true are adjacent. This is the case if it
/// is a conjunction of comparisons, each between the index in x and a value that is the same for the row, or
/// without that index. Indices are less than 2^31.
class Intervals {
public:
    explicit Intervals(const Tree& tree) : tree_(tree) {}

    void add_declaration(VarId id) {
        const auto& v = tree_.variables[id];
        if (v.initial == 0) {
            varying_.insert(id);
        } else if (keeps_indices(v.type) && is_index(v.initial)) {
            indices_.insert(id);
        } else if (has_index(v.initial)) {
            varying_.insert(id);
        }
    }

    /// `negated`: whether the work-items for which it is false are adjacent.
    bool holds(ExprId id, bool negated) const {
        const Expr& e = tree_.expr(id);
        if (!has_index(id)) {
            return true;
        }
        if (e.kind == ExprKind::convert && tree_.types.is_integer(e.type)) {
            const ExprKind inner = tree_.expr(e.a).kind; // A conversion may wrap a number, but not a truth.
            const bool is_truth = inner == ExprKind::binary || inner == ExprKind::logical ||
                                  inner == ExprKind::unary || inner == ExprKind::convert;
            return is_truth && holds(e.a, negated);
        }
        if (e.kind == ExprKind::unary && e.op == Op::logical_not) {
            return holds(e.a, !negated);
        }
        if (e.kind == ExprKind::logical && e.op == (negated ? Op::logical_or : Op::logical_and)) {
            return holds(e.a, negated) && holds(e.b, negated);
        }
        const bool compares = e.kind == ExprKind::binary && e.op >= Op::less && e.op <= Op::not_equal &&
                              e.op != (negated ? Op::equal : Op::not_equal);
        return compares &&
               ((is_index_or_next(e.a) && !has_index(e.b)) || (is_index_or_next(e.b) && !has_index(e.a)));
    }

private:
    bool keeps_indices(opencl_c::Type t) const {
        return tree_.types.is_scalar(t) && tree_.types.is_integer(t) && tree_.types.size(t) >= 4;
    }

    ExprId without_conversions(ExprId id) const {
        const Expr& e = tree_.expr(id);
        const bool keeps = e.kind == ExprKind::convert &&
                           (e.conversion == Conversion::load || e.conversion == Conversion::none ||
                            e.conversion == Conversion::arithmetic) &&
                           keeps_indices(e.type) && keeps_indices(tree_.expr(e.a).type);
        return keeps ? without_conversions(e.a) : id;
    }

    bool is_in_x(const Expr& e) const {
        const ExprId dimension = without_conversions(tree_.items(e.list)[0]);
        return tree_.expr(dimension).kind == ExprKind::integer && tree_.expr(dimension).constant == 0;
    }

    bool is_index(ExprId id) const {
        const Expr& e = tree_.expr(without_conversions(id));
        if (e.kind == ExprKind::builtin) {
            const std::string_view name = tree_.names[e.index];
            return (name == "get_global_id" || name == "get_local_id") && is_in_x(e);
        }
        return e.kind == ExprKind::variable && indices_.contains(e.index);
    }

    // With a small number added it does not wrap either, unless the kernel's own int overflows.
    bool is_index_or_next(ExprId id) const {
        const Expr& e = tree_.expr(without_conversions(id));
        if (e.kind == ExprKind::binary && e.op == Op::add) {
            const Expr& added = tree_.expr(without_conversions(e.b));
            return added.kind == ExprKind::integer && added.constant < 10'000'000 && is_index(e.a);
        }
        return is_index(id);
    }

    bool has_index(ExprId id) const {
        bool found = false;
        visit_expression(tree_, id, [&](const Expr& e) {
            if (e.kind == ExprKind::variable) {
                found = found || indices_.contains(e.index) || varying_.contains(e.index);
            } else if (e.kind == ExprKind::builtin) {
                const std::string_view name = tree_.names[e.index];
                const bool is_id = name == "get_global_id" || name == "get_local_id";
                const ExprId dimension = is_id ? without_conversions(tree_.items(e.list)[0]) : 0;
                const Expr& d = tree_.expr(dimension);
                const bool across = is_id && d.kind == ExprKind::integer && d.constant != 0;
                found = found || (is_id && !across) || name.starts_with("get_sub_group") ||
                        name == "get_local_linear_id" || name == "get_global_linear_id";
            }
        });
        return found;
    }

    const Tree& tree_;
    std::set<VarId> indices_; ///< Variables that are the index in x.
    std::set<VarId> varying_; ///< Others that depend on it.
};

bool only_returns(const Tree& tree, StmtId id) {
    const Stmt& s = tree.stmt(id);
    const auto items = tree.items(s.list);
    return (s.kind == StmtKind::return_ && s.expr == 0) ||
           (s.kind == StmtKind::block && items.size() == 1 && only_returns(tree, items[0]));
}

} // namespace

std::optional<Guard> find_guard(const Tree& tree, opencl_c::FunctionId kernel) {
    const auto items = tree.items(tree.stmt(tree.functions[kernel].body).list);
    Guard guard;
    Intervals intervals(tree);
    std::size_t i = 0;
    for (; i < items.size() && tree.stmt(items[i]).kind == StmtKind::declaration; ++i) {
        for (const VarId v : tree.items(tree.stmt(items[i]).list)) {
            const auto& variable = tree.variables[v];
            const bool is_plain =
                variable.type.space() == Space::private_ &&
                (tree.types.is_scalar(variable.type) || tree.types.is_vector(variable.type) ||
                 tree.types.is_pointer(variable.type));
            if (!is_plain || !is_pure(tree, variable.initial)) {
                return std::nullopt;
            }
            intervals.add_declaration(v);
        }
        guard.before.push_back(items[i]);
    }
    if (i == items.size() || tree.stmt(items[i]).kind != StmtKind::if_ ||
        tree.stmt(items[i]).otherwise != 0 || !is_pure(tree, tree.stmt(items[i]).expr)) {
        return std::nullopt;
    }
    const Stmt& test = tree.stmt(items[i]);
    guard.condition = test.expr;
    guard.leaves = only_returns(tree, test.body);
    guard.interval = intervals.holds(test.expr, guard.leaves);
    if (guard.leaves) {
        guard.rest.assign(items.begin() + static_cast<std::ptrdiff_t>(i) + 1, items.end());
        return guard;
    }
    guard.rest.push_back(test.body);
    return i + 1 == items.size() ? std::optional(guard) : std::nullopt;
}

} // namespace ferry::emit_cpp::host
