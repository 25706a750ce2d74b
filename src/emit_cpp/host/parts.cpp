// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

// Divides the body of a kernel into parts at its barriers.
namespace ferry::emit_cpp::host {

/// The token with which an expression begins, apart from brackets.
std::uint32_t HostEmitter::first_token(ExprId id) const {
    std::uint32_t first = expr(id).token;
    visit_expression(tree_, id, [&](const Expr& e) { first = std::min(first, e.token); });
    return first;
}

void HostEmitter::end_region(std::vector<Part>& parts, std::uint32_t token) {
    ++units_;
    Part barrier;
    barrier.kind = Part::Kind::barrier;
    barrier.token = token;
    parts.push_back(std::move(barrier));
}

/// Whether some work-items may skip the code after the unit.
bool HostEmitter::leaves(const Part::Unit& unit) const {
    return unit.label != 0 || (unit.statement != 0 && is_left(unit.statement));
}

/// A variable of the group is declared before the region at the end of the list, so that it does not divide
/// it.
void HostEmitter::add_unit(Part::Unit unit, bool once, std::uint32_t token, std::vector<Part>& parts) {
    ++units_;
    const Part::Kind kind = once ? Part::Kind::once : Part::Kind::region;
    std::size_t at = parts.size();
    if (once && unit.variable != 0 && unit.value == 0 && !parts.empty() &&
        parts.back().kind == Part::Kind::region &&
        std::none_of(parts.back().units.begin(), parts.back().units.end(),
                     [&](const Part::Unit& u) { return leaves(u); })) {
        --at;
    }
    if (at == 0 || parts[at - 1].kind != kind) {
        Part part;
        part.kind = kind;
        part.token = token;
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), std::move(part));
        ++at;
    }
    parts[at - 1].units.push_back(unit);
}

void HostEmitter::add_parts(StmtId id, std::vector<Part>& parts) {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    const bool waits = has_barrier(id);
    const bool in_switch = !building_.empty() && building_.back() == Part::Kind::switch_to;
    Part::Unit whole;
    whole.statement = id;
    Part part;
    part.token = s.token;
    part.statement = id;
    switch (s.kind) {
    case StmtKind::declaration:
        for (const VarId v : tree_.items(s.list)) {
            lower(tree_.variables[v].initial, parts);
            Part::Unit unit;
            unit.variable = v;
            add_unit(unit, variables_.uniform.contains(v), s.token, parts);
        }
        return;
    case StmtKind::expression:
        lower(s.expr, parts);
        return add_effects(s.expr, parts);
    case StmtKind::block:
        if (!waits) { // Its declarations are the group's, so that the block may be part of a region.
            return add_list(tree_.items(s.list), parts);
        }
        part.kind = Part::Kind::block;
        add_list(tree_.items(s.list), part.body);
        break;
    case StmtKind::case_:
    case StmtKind::default_:
        if (!in_switch) {
            refuse(s.token, "a case within an if or a loop is not supported on the host if the switch "
                            "contains a barrier");
        }
        part.kind = Part::Kind::case_label;
        parts.push_back(std::move(part));
        return add_parts(s.body, parts);
    case StmtKind::break_:
        if (!in_switch) {
            return add_unit(whole, false, s.token, parts);
        }
        part.kind = Part::Kind::leave;
        break;
    case StmtKind::label:
        if (far_labels_.contains(id)) {
            return add_parts(s.body, parts);
        }
        if (!waits) {
            return add_unit(whole, false, s.token, parts);
        }
        whole.statement = 0;
        whole.label = id;
        add_unit(whole, false, s.token, parts);
        return add_parts(s.body, parts);
    case StmtKind::if_:
        lower(s.expr, parts);
        if (!has_barrier(live(s, s.body)) && !has_barrier(live(s, s.otherwise))) {
            return add_unit(whole, false, s.token, parts);
        }
        part.kind = Part::Kind::branch;
        part.token = first_token(s.expr);
        part.condition = s.expr;
        add_parts(live(s, s.body), part.body);
        add_parts(live(s, s.otherwise), part.otherwise);
        break;
    case StmtKind::while_:
    case StmtKind::do_:
    case StmtKind::for_:
        return waits ? add_loop(id, parts) : add_unit(whole, false, s.token, parts);
    case StmtKind::switch_:
        lower(s.expr, parts);
        return has_barrier(s.body) ? add_switch(id, parts) : add_unit(whole, false, s.token, parts);
    default: // A return may contain a call.
        lower(s.expr, parts);
        return add_unit(whole, false, s.token, parts);
    }
    parts.push_back(std::move(part));
}

void HostEmitter::add_loop(StmtId id, std::vector<Part>& parts) {
    const Stmt& s = tree_.stmt(id);
    Part part;
    part.kind = Part::Kind::loop;
    part.token = s.expr != 0 ? first_token(s.expr) : s.token;
    part.statement = id;
    part.condition = s.expr;
    add_parts(s.initial, part.first);
    building_.push_back(Part::Kind::loop);
    const StmtId body = live(s, s.body);
    add_parts(body, part.body);
    building_.pop_back();
    lower(s.expr, part.test);
    if (s.step != 0 && body != 0) {
        lower(s.step, part.step);
        add_effects(s.step, part.step);
    }
    parts.push_back(std::move(part));
}

void HostEmitter::add_switch(StmtId id, std::vector<Part>& parts) {
    const Stmt& s = tree_.stmt(id);
    Part part;
    part.kind = Part::Kind::switch_to;
    part.token = first_token(s.expr);
    part.condition = s.expr;
    building_.push_back(Part::Kind::switch_to);
    add_parts(s.body, part.body);
    building_.pop_back();
    const auto check = [&](const auto& self, const std::vector<Part>& all) -> void {
        for (const Part& inner : all) {
            for (const Part::Unit& unit : inner.units) {
                if (has_case(unit.statement)) {
                    refuse(tree_.stmt(unit.statement).token,
                           "a case within an if or a loop is not supported on the host if the switch "
                           "contains a barrier");
                }
            }
            if (inner.kind == Part::Kind::block || inner.kind == Part::Kind::branch) {
                self(self, inner.body);
                self(self, inner.otherwise);
            }
        }
    };
    check(check, part.body);
    parts.push_back(std::move(part));
}

/// Marks the loops, switches and calls that some work-items may leave early. A return in the last
/// region of a function needs no mark.
void HostEmitter::find_exits(std::vector<Part>& parts, std::vector<Part*>& around, bool is_end) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Part& part = parts[i];
        part.is_last = is_end && i + 1 == parts.size();
        if (part.kind == Part::Kind::region) {
            for (const Part::Unit& unit : part.units) {
                note_jumps(unit.statement, part, around);
            }
            continue;
        }
        const bool is_scope = part.kind == Part::Kind::loop || part.kind == Part::Kind::switch_to ||
                              part.kind == Part::Kind::call || part.kind == Part::Kind::jumped;
        find_exits(part.first, around, false);
        if (is_scope) {
            around.push_back(&part);
        }
        const bool ends = part.kind == Part::Kind::call || (!is_scope && part.is_last);
        find_exits(part.test, around, false);
        find_exits(part.body, around, ends);
        find_exits(part.otherwise, around, ends);
        find_exits(part.step, around, false);
        if (is_scope) {
            around.pop_back();
        }
    }
}

void HostEmitter::note_jumps(StmtId id, Part& region, const std::vector<Part*>& around) {
    if (id == 0) {
        return;
    }
    // Marks the parts around it up to one that is left.
    const auto exit = [&](auto&& is_end_of_jump) {
        region.leaves = has_exits_ = true;
        for (auto part = around.rbegin(); part != around.rend(); ++part) {
            (*part)->exits = true;
            if (is_end_of_jump(**part)) {
                return true;
            }
        }
        return false;
    };
    if (returns(id) && !region.is_last) {
        const bool in_call = exit([](const Part& part) { return part.kind == Part::Kind::call; });
        kernel_returns_ = kernel_returns_ || !in_call;
    }
    if (jumps_out(id, false, false)) {
        exit([](const Part& part) {
            return part.kind == Part::Kind::loop || part.kind == Part::Kind::switch_to;
        });
    }
    visit_statements(tree_, id, [&](const Stmt& s) {
        const auto is_target = [&](const Part* part) {
            return part->kind == Part::Kind::jumped && tree_.stmt(part->statement).label == s.label;
        };
        const auto call = std::find_if(around.rbegin(), around.rend(),
                                       [](const Part* part) { return part->kind == Part::Kind::call; });
        if (s.kind == StmtKind::goto_ && std::any_of(around.rbegin(), call, is_target)) {
            exit([&](const Part& part) { return is_target(&part); });
        }
    });
    if (jumps_out(id, false, true)) { // A continue, which leaves switches, too.
        exit([](const Part& part) { return part.kind == Part::Kind::loop; });
    }
}

} // namespace ferry::emit_cpp::host
