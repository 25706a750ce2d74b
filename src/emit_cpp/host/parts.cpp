// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

// Divides the body of a kernel into parts at its barriers.
namespace ferry::emit_cpp::host {

/// Whether the expression itself is a call that waits for the group.
bool HostEmitter::is_barrier(const Expr& e) const {
    return e.kind == ExprKind::builtin && waits(name_of(e));
}

bool HostEmitter::has_barrier(StmtId id) const {
    bool found = false;
    visit_statement(tree_, id, [&](const Expr& e) {
        if (e.kind == ExprKind::call && tree_.functions[e.index].kernel && calls_builtin(e.index, &waits)) {
            refuse(e.token, "a call of a kernel that contains a barrier is not emitted for the host yet");
        }
        found = found || is_barrier(e);
    });
    return found;
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
    if (s.kind == StmtKind::declaration && !waits) {
        for (const VarId v : tree_.items(s.list)) {
            add_unit({0, v, 0}, variables_.uniform.contains(v), s.token, parts);
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
        return add_unit({id, 0, 0}, false, s.token, parts);
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
        if (!is_barrier(expr(root))) {
            refuse(s.token, "a barrier within an expression is not emitted for the host yet");
        }
        return end_region(parts, s.token);
    }
    case StmtKind::if_:
        part.kind = Part::Kind::branch;
        add_parts(s.body, part.body);
        add_parts(s.otherwise, part.otherwise);
        break;
    case StmtKind::while_:
    case StmtKind::do_:
    case StmtKind::for_: {
        part.kind = Part::Kind::loop;
        add_parts(s.initial, part.first);
        add_parts(s.body, part.body);
        if (s.step != 0) {
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
