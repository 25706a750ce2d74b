// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

// Finds the statements and expressions that contain barriers.
namespace ferry::emit_cpp::host {
/// Whether the expression itself is a call that waits for the group.
bool HostEmitter::is_barrier(const Expr& e) const {
    return e.kind == ExprKind::builtin && waits(name_of(e));
}

/// The value of an integer constant expression of literals. None for other expressions.
std::optional<std::int64_t> HostEmitter::folded(ExprId id) const {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::integer) {
        return static_cast<std::int64_t>(e.constant);
    }
    if (e.kind == ExprKind::convert && types_.is_integer(e.type) && types_.is_integer(type_of(e.a))) {
        return folded(e.a);
    }
    if (e.kind == ExprKind::unary && e.op == Op::logical_not) {
        const auto a = folded(e.a);
        return a ? std::optional<std::int64_t>(*a == 0 ? 1 : 0) : std::nullopt;
    }
    const bool compares = e.kind == ExprKind::binary && is_comparison(e.op);
    if (!compares && e.kind != ExprKind::logical) {
        return std::nullopt;
    }
    const auto a = folded(e.a);
    const auto b = folded(e.b);
    if (!a || !b || *a < 0 || *b < 0) { // Then signs do not matter.
        return std::nullopt;
    }
    switch (e.op) {
    case Op::less:
        return *a < *b ? 1 : 0;
    case Op::greater:
        return *a > *b ? 1 : 0;
    case Op::less_equal:
        return *a <= *b ? 1 : 0;
    case Op::greater_equal:
        return *a >= *b ? 1 : 0;
    case Op::equal:
        return *a == *b ? 1 : 0;
    case Op::not_equal:
        return *a != *b ? 1 : 0;
    case Op::logical_and:
        return *a != 0 && *b != 0 ? 1 : 0;
    default:
        return *a != 0 || *b != 0 ? 1 : 0;
    }
}

/// The branch of an `if`, or the body of a loop. 0 if it is never executed: a label in it may be reached.
StmtId HostEmitter::live(const Stmt& s, StmtId branch) const {
    const bool tests_first =
        s.kind == StmtKind::if_ || s.kind == StmtKind::while_ || s.kind == StmtKind::for_;
    const auto known = tests_first && s.expr != 0 ? folded(s.expr) : std::nullopt;
    const bool never = known && (branch == s.otherwise) == (*known != 0);
    return never && !is_jumped_into(branch) ? 0 : branch;
}

/// Whether the statement contains a barrier, except in branches that are never taken.
bool HostEmitter::has_barrier(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::block) {
        const auto items = tree_.items(s.list);
        return std::any_of(items.begin(), items.end(), [&](StmtId inner) { return has_barrier(inner); });
    }
    if (s.kind == StmtKind::declaration) {
        const auto items = tree_.items(s.list);
        return std::any_of(items.begin(), items.end(),
                           [&](VarId v) { return waits_in(tree_.variables[v].initial); });
    }
    const StmtId body = live(s, s.body);
    return waits_in(s.expr) || has_barrier(s.initial) || (body != 0 && waits_in(s.step)) ||
           has_barrier(body) || has_barrier(live(s, s.otherwise));
}

bool HostEmitter::waits_in(ExprId id) const {
    bool found = false;
    visit_expression(tree_, id, [&](const Expr& e) { found = found || is_barrier(e) || is_group_call(e); });
    return found;
}

/// Whether the statement contains a case of a switch around it.
bool HostEmitter::has_case(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::switch_) {
        return false;
    }
    const auto items = s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>();
    return s.kind == StmtKind::case_ || s.kind == StmtKind::default_ || has_case(s.body) ||
           has_case(s.otherwise) ||
           std::any_of(items.begin(), items.end(), [&](StmtId inner) { return has_case(inner); });
}

/// Whether some work-items may leave the switch with this body early.
bool HostEmitter::leaves_unevenly(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    const bool waits = has_barrier(id);
    const auto items = s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>();
    switch (s.kind) {
    case StmtKind::break_:
        return false;
    case StmtKind::block:
        return std::any_of(items.begin(), items.end(), [&](StmtId inner) { return leaves_unevenly(inner); });
    case StmtKind::case_:
    case StmtKind::default_:
    case StmtKind::label:
        return leaves_unevenly(s.body);
    case StmtKind::if_:
        return waits && (has_barrier(live(s, s.body)) || has_barrier(live(s, s.otherwise)))
                   ? leaves_unevenly(live(s, s.body)) || leaves_unevenly(live(s, s.otherwise))
                   : jumps_out(id, false, false);
    default:
        return jumps_out(id, false, false);
    }
}

} // namespace ferry::emit_cpp::host
