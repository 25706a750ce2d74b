// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"
#include "order.hpp"

#include <algorithm>
#include <utility>

// Regions of kernels with barriers: loops over the work-items of the group.
namespace ferry::emit_cpp::host {
namespace {

/// The time of g++ for one function grows with the square of its regions with diverged work-items: 240
/// took it 25 s. Regions that are functions of their own run slower, because they reach all variables through
/// a closure: a kernel with 40 barriers and an early return took 3.4 times as long.
constexpr std::uint32_t many_regions = 64;

} // namespace

/// Whether some work-items may have flags at the current part.
bool HostEmitter::may_skip() const {
    return kernel_returns_ ||
           std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.part->exits; });
}

bool HostEmitter::is_in_any_order(const Part& part) const {
    Order order(tree_, [this](VarId v) {
        return variables_.kept.contains(v) &&
               (variables_.escaped.contains(v) || overlaps(tree_.variables[v].type));
    });
    bool leaves = false;
    for (const Part::Unit& unit : part.units) {
        leaves = leaves || returns(unit.statement) || jumps_out(unit.statement, false, false);
        if (unit.variable != 0 && unit.value == 0) {
            order.add_declaration(unit.variable);
        }
        order.add_statement(unit.statement);
        order.add_expression(unit.effects);
        order.add_expression(unit.value);
    }
    order.add_expression(part.condition);
    return !leaves && !part.leaves && !may_skip() && order.is_free();
}

void HostEmitter::emit_region(const Part& part) {
    const bool does_something = std::any_of(part.units.begin(), part.units.end(), [&](const Part::Unit& u) {
        return u.variable == 0 || u.value != 0 || is_written_here(u.variable);
    });
    if (!does_something) {
        return;
    }
    const std::string number = std::to_string(++next_name_);
    end_label_ = "fy_end" + number;
    exit_flag_ = "fy_exit" + number;
    left_by_return_ = false;
    outermost_left_ = scopes_.size();
    region_ = &part;
    if (part.leaves) {
        line();
        put("int ", exit_flag_, "; ", exit_flag_, " = 0;");
    }
    const bool labels = std::any_of(part.units.begin(), part.units.end(), [&](const Part::Unit& u) {
        return u.label != 0 || is_jumped_into(u.statement);
    });
    begin_items(part.number, is_in_any_order(part));
    line();
    put("{");
    ++indent_;
    const bool before = std::exchange(splits_, labels);
    for (const Part::Unit& unit : part.units) {
        if (unit.variable == 0 || unit.value != 0 || is_written_here(unit.variable)) {
            line();
            emit_unit(unit);
        }
    }
    splits_ = before;
    --indent_;
    line();
    put("} ", end_label_, ":;");
    end_items();
    region_ = nullptr;
    if (part.leaves) {
        after_region();
    }
}

/// If all work-items wait, the group goes on where the innermost loop, switch or call ends. If they wait for
/// different places, a barrier on the way finds that some do not come.
void HostEmitter::after_region() {
    line();
    put("if (", exit_flag_, ") {");
    if (left_by_return_) {
        put(" if (fy_all_gone(fy_gone, fy_n)) return;");
    }
    for (std::size_t i = outermost_left_; i < scopes_.size(); ++i) {
        put(" fy_went", std::to_string(scopes_[i].number), " = true;");
    }
    if (!scopes_.empty()) {
        put(" if (fy_all_skip(fy_gone, fy_n)) { fy_parts = fy_parts || fy_differ(fy_gone, fy_n); goto "
            "fy_next",
            std::to_string(scopes_.back().number), "; }");
    }
    put(" fy_parts = true; }");
}

void HostEmitter::begin_items(std::uint32_t region, bool in_any_order) {
    line();
    is_apart_ = !scopes_.empty() && may_skip() && regions_ > many_regions;
    put(in_any_order ? "FY_ITEMS"
        : is_apart_  ? "FY_ITEMS_APART"
                     : "FY_ITEMS_IN_ORDER",
        may_skip() ? " if (fy_gone[fy_i]) continue;" : "");
    ++indent_;
    const std::set<VarId>& used = used_in_[region];
    std::set<VarId> needed; // A cheap variable may need others, which have lower numbers.
    const std::function<void(VarId)> need = [&](VarId v) {
        if (variables_.cheap.contains(v) && needed.insert(v).second) {
            visit_expression(tree_, tree_.variables[v].initial, [&](const Expr& e) {
                if (e.kind == ExprKind::variable) {
                    need(e.index);
                }
            });
        }
    };
    std::for_each(used.begin(), used.end(), need);
    for (const VarId v : needed) {
        line();
        Emitter::declare(v);
    }
    for (const VarId v : used) {
        if (variables_.kept.contains(v)) {
            line();
            put("[[maybe_unused]] auto& ", variable_name(v), " = fy_c_", variable_name(v), "[fy_i]",
                is_over_aligned(v) ? ".fy_value;" : ";");
        }
    }
}

void HostEmitter::end_items() {
    --indent_;
    line();
    put(is_apart_ ? "FY_ITEMS_APART_END" : "FY_ITEMS_END");
}

void HostEmitter::emit_unit(const Part::Unit& unit) {
    if (unit.result != 0) {
        put("fy_c_", result_name(unit.result), "[fy_i] = ");
        if (unit.value == 0) {
            put(std::to_string(unit.constant));
        } else if (unit.is_truth) {
            put("int(bool(");
            condition(unit.value);
            put("))");
        } else {
            operand(unit.value, Level::assignment);
        }
        put(";");
    } else if (unit.label != 0) {
        label(tree_.stmt(unit.label), "", ":;");
    } else if (unit.value != 0) {
        const Variable& v = tree_.variables[unit.variable];
        const bool is_declared = variables_.kept.contains(unit.variable);
        put(is_declared ? variable_name(unit.variable)
                        : declared(v.type, variable_name(unit.variable), v.token),
            " = ");
        operand(unit.value, Level::assignment);
        put(";");
    } else if (unit.variable != 0) {
        out_->at(tree_.place(tree_.variables[unit.variable].token));
        declare(unit.variable);
    } else if (unit.effects != 0) {
        effects(unit.effects);
        put(";");
    } else {
        statement(unit.statement);
    }
}

/// Whether the declaration has a form in the region that contains it.
bool HostEmitter::is_written_here(VarId id) const {
    const Variable& v = tree_.variables[id];
    return v.type.space() == Space::private_ && !variables_.cheap.contains(id) &&
           (!variables_.kept.contains(id) || v.initial != 0);
}

void HostEmitter::declare(VarId id) {
    const Variable& v = tree_.variables[id];
    if (v.type.space() == Space::local) {
        if (in_group_) {
            return; // It is declared at the beginning of the kernel.
        }
        // In a kernel without barriers that another one calls. A group runs on one thread.
        line();
        put("alignas(64) static thread_local ", declared(v.type, variable_name(id), v.token), ";");
        return;
    }
    if (in_group_ && variables_.cheap.contains(id)) {
        return;
    }
    if (in_group_ && variables_.kept.contains(id)) {
        if (v.initial != 0) {
            assign_parts(variable_name(id), v.initial, v.type, "; ");
        }
        return;
    }
    Emitter::declare(id);
}

/// Omits branches that are never taken, because they may contain barriers.
void HostEmitter::statement(StmtId id) {
    if (!in_group_ || id == 0) {
        return Emitter::statement(id);
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::goto_ || s.kind == StmtKind::label) {
        line();
        out_->at(tree_.place(s.token));
        const std::size_t target = s.kind == StmtKind::goto_ ? target_of(s.label) : scopes_.size();
        if (target < scopes_.size()) {
            const Scope& scope = scopes_[target];
            return leave_region(target, scope.part->repeats ? scope.next : scope.left);
        }
        label(s, s.kind == StmtKind::goto_ ? "goto " : "", s.kind == StmtKind::goto_ ? ";" : ":;");
        return statement(s.body);
    }
    const bool is_loop = s.kind == StmtKind::while_ || s.kind == StmtKind::for_;
    if (is_loop && s.expr != 0 && live(s, s.body) == 0) {
        line();
        return nested(s.initial);
    }
    const auto known = s.kind == StmtKind::if_ ? folded(s.expr) : std::nullopt;
    if (!known || live(s, *known != 0 ? s.otherwise : s.body) != 0) {
        return Emitter::statement(id);
    }
    line();
    nested(*known != 0 ? s.body : s.otherwise);
}

/// The labels of a function are written once for each of its calls.
void HostEmitter::label(const Stmt& s, std::string_view word, std::string_view end) {
    put(word, "l_", s.label, label_suffix_, end);
}

void HostEmitter::return_statement(const Stmt& s) {
    if (!in_group_) {
        return Emitter::return_statement(s);
    }
    const auto scope = std::find_if(scopes_.rbegin(), scopes_.rend(),
                                    [](const Scope& one) { return one.part->kind == Part::Kind::call; });
    const bool in_call = scope != scopes_.rend();
    put("{ ");
    if (s.expr != 0 && in_call && scope->part->call != 0) {
        put("fy_c_", result_name(scope->part->call), "[fy_i] = ");
        operand(s.expr, Level::assignment);
        put("; ");
    } else if (s.expr != 0 && !is_spent(s.expr)) {
        effects(s.expr);
        put("; ");
    }
    if (!region_->is_last) {
        put("fy_gone[fy_i] |= ", std::to_string(in_call ? scope->left : 1UL), "ul; ", exit_flag_, " = 1; ");
        const std::size_t around = in_call ? static_cast<std::size_t>(scopes_.rend() - scope) - 1 : 0;
        outermost_left_ = std::min(outermost_left_, around);
        left_by_return_ = left_by_return_ || !in_call;
    }
    put("goto ", end_label_, "; }");
}

void HostEmitter::jump(const Stmt& s) {
    const bool breaks = s.kind == StmtKind::break_;
    const bool stays = inner_loops_ > 0 || (breaks && inner_switches_ > 0);
    if (!in_group_ || stays) {
        return Emitter::jump(s);
    }
    const auto scope = std::find_if(scopes_.rbegin(), scopes_.rend(), [&](const Scope& one) {
        return one.part->kind == Part::Kind::loop || (breaks && one.part->kind == Part::Kind::switch_to);
    });
    leave_region(static_cast<std::size_t>(scopes_.rend() - scope) - 1, breaks ? scope->left : scope->next);
}

void HostEmitter::leave_region(std::size_t scope, unsigned long bit) {
    outermost_left_ = std::min(outermost_left_, scope);
    put("{ fy_gone[fy_i] |= ", std::to_string(bit), "ul; ", exit_flag_, " = 1; goto ", end_label_, "; }");
}

void HostEmitter::loop(const Stmt& s) {
    const unsigned before = std::exchange(inner_switches_, 0);
    ++inner_loops_;
    Emitter::loop(s);
    --inner_loops_;
    inner_switches_ = before;
}

void HostEmitter::switch_statement(const Stmt& s) {
    ++inner_switches_;
    Emitter::switch_statement(s);
    --inner_switches_;
}

} // namespace ferry::emit_cpp::host
