// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

// Divides the body of a kernel into parts at its barriers.
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
    if (s.kind == StmtKind::if_) {
        const auto known = folded(s.expr);
        return waits_in(s.expr) || ((!known || *known != 0) && has_barrier(s.body)) ||
               ((!known || *known == 0) && has_barrier(s.otherwise));
    }
    const bool never = (s.kind == StmtKind::while_ || s.kind == StmtKind::for_) && s.expr != 0 &&
                       folded(s.expr).value_or(1) == 0;
    return waits_in(s.expr) || has_barrier(s.initial) ||
           (!never && (waits_in(s.step) || has_barrier(s.body) || has_barrier(s.otherwise)));
}

/// Writes only the live branch of an `if` that decides by a constant, because the other one may contain
/// barriers.
void HostEmitter::statement(StmtId id) {
    const auto known = in_group_ && id != 0 && tree_.stmt(id).kind == StmtKind::if_
                           ? folded(tree_.stmt(id).expr)
                           : std::nullopt;
    if (!known) {
        return Emitter::statement(id);
    }
    line();
    nested(*known != 0 ? tree_.stmt(id).body : tree_.stmt(id).otherwise);
}

bool HostEmitter::waits_in(ExprId id) const {
    bool found = false;
    visit_expression(tree_, id, [&](const Expr& e) {
        found = found || is_barrier(e) || (e.kind == ExprKind::call && !is_function(e.index));
    });
    return found;
}

/// Adds the parts of the calls with barriers in an expression, the inner ones first.
void HostEmitter::add_calls(ExprId id, std::vector<Part>& parts) {
    if (id == 0 || !waits_in(id)) {
        return;
    }
    const Expr& e = expr(id);
    const bool chooses =
        e.kind == ExprKind::conditional || (e.kind == ExprKind::logical && !types_.is_vector(e.type));
    if (is_barrier(e) || e.kind == ExprKind::statements || (chooses && (waits_in(e.b) || waits_in(e.c)))) {
        refuse(e.token,
               "a barrier in a part of an expression that may be left out is not emitted for the host yet");
    }
    for (const ExprId inner : {e.a, e.b, e.c}) {
        add_calls(inner, parts);
    }
    for (const ExprId inner : tree_.items(e.list)) {
        add_calls(inner, parts);
    }
    if (e.kind == ExprKind::call && !is_function(e.index)) {
        add_call(id, parts);
    }
}

/// A function returns at its end only, because all work-items go on together.
void HostEmitter::add_call(ExprId id, std::vector<Part>& parts) {
    const Expr& e = expr(id);
    const Function& f = tree_.functions[e.index];
    Part part;
    part.kind = Part::Kind::call;
    part.token = e.token;
    const auto arguments = tree_.items(e.list);
    for (std::size_t n = 0; n < f.parameters.size(); ++n) {
        Part::Unit unit;
        unit.variable = f.parameters[n];
        unit.value = arguments[n];
        add_unit(unit, variables_.uniform.contains(unit.variable), e.token, part.first);
    }
    const auto items = tree_.items(tree_.stmt(f.body).list);
    for (std::size_t n = 0; n < items.size(); ++n) {
        const Stmt& s = tree_.stmt(items[n]);
        if (s.kind == StmtKind::return_ && n + 1 == items.size()) {
            if (s.expr != 0) {
                add_calls(s.expr, part.body);
                Part::Unit unit;
                unit.value = s.expr;
                unit.call = types_.is_void(e.type) ? 0 : id;
                add_unit(unit, false, s.token, part.body);
            }
        } else if (returns(items[n])) {
            refuse(s.token,
                   "a function with a barrier that returns before its end is not emitted for the host yet");
        } else {
            add_parts(items[n], part.body);
        }
    }
    parts.push_back(std::move(part));
}

void HostEmitter::end_region(std::vector<Part>& parts, std::uint32_t token) {
    Part barrier;
    barrier.kind = Part::Kind::barrier;
    barrier.token = token;
    parts.push_back(std::move(barrier));
}

void HostEmitter::add_unit(Part::Unit unit, bool once, std::uint32_t token, std::vector<Part>& parts) {
    const Part::Kind kind = once ? Part::Kind::once : Part::Kind::region;
    if (parts.empty() || parts.back().kind != kind) {
        Part part;
        part.kind = kind;
        part.token = token;
        parts.push_back(std::move(part));
    }
    parts.back().units.push_back(unit);
}

void HostEmitter::add_parts(StmtId id, std::vector<Part>& parts) {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    const bool waits = has_barrier(id);
    if (s.kind == StmtKind::declaration) {
        for (const VarId v : tree_.items(s.list)) {
            add_calls(tree_.variables[v].initial, parts);
            add_unit({0, v}, variables_.uniform.contains(v), s.token, parts);
        }
        return;
    }
    if (s.kind == StmtKind::expression && !waits) {
        const Expr& e = expr(s.expr);
        const bool writes =
            e.kind == ExprKind::assign || e.kind == ExprKind::compound || e.kind == ExprKind::step;
        const bool once = writes && variables_.uniform.contains(root_variable(tree_, e.a));
        return add_unit({0, 0, s.expr}, once, s.token, parts);
    }
    if (!waits && s.kind != StmtKind::block) {
        return add_unit({id}, false, s.token, parts);
    }
    Part part;
    part.token = s.token;
    part.statement = id;
    switch (s.kind) {
    case StmtKind::block:
        part.kind = Part::Kind::block;
        for (const StmtId inner : tree_.items(s.list)) {
            add_parts(inner, part.body);
        }
        if (!waits) { // Its declarations are the group's, so that the block may be part of a region.
            for (Part& inner : part.body) {
                for (const Part::Unit& unit : inner.units) {
                    add_unit(unit, inner.kind == Part::Kind::once, inner.token, parts);
                }
                if (inner.units.empty()) {
                    parts.push_back(std::move(inner));
                }
            }
            return;
        }
        break;
    case StmtKind::expression: {
        ExprId root = s.expr;
        while (expr(root).kind == ExprKind::convert) {
            root = expr(root).a;
        }
        if (is_barrier(expr(root))) {
            return end_region(parts, s.token);
        }
        add_calls(s.expr, parts);
        if (expr(root).kind != ExprKind::call || is_function(expr(root).index)) {
            add_unit({0, 0, s.expr}, false, s.token, parts);
        }
        return;
    }
    case StmtKind::if_:
        part.kind = Part::Kind::branch;
        add_calls(s.expr, parts);
        add_parts(s.body, part.body);
        add_parts(s.otherwise, part.otherwise);
        break;
    case StmtKind::while_:
    case StmtKind::do_:
    case StmtKind::for_: {
        part.kind = Part::Kind::loop;
        add_parts(s.initial, part.first);
        add_parts(s.body, part.body);
        add_calls(s.expr, part.test);
        if (s.step != 0) {
            add_calls(s.step, part.step);
            const Expr& e = expr(s.step);
            const bool writes =
                e.kind == ExprKind::assign || e.kind == ExprKind::compound || e.kind == ExprKind::step;
            add_unit({0, 0, s.step}, writes && variables_.uniform.contains(root_variable(tree_, e.a)),
                     s.token, part.step);
        }
        break;
    }
    default:
        refuse(s.token, "a barrier in this statement is not emitted for the host yet");
    }
    parts.push_back(std::move(part));
}

} // namespace ferry::emit_cpp::host
