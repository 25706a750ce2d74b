// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

#include <algorithm>
#include <span>
#include <utility>

// The body of a kernel with barriers, for a whole work-group.
namespace ferry::emit_cpp::host {
namespace {

constexpr std::string_view returned = "1ul";

} // namespace

void HostEmitter::group_kernel(FunctionId id) {
    const Function& f = tree_.functions[id];
    if (has_label(f.body)) {
        refuse(f.token, "a goto in a kernel with barriers is not emitted for the host yet");
    }
    find_variables(id);
    const auto is_here = [&](const Variable& v) { return v.function == id || inlined_.contains(v.function); };
    for (VarId v = 1; v < tree_.variables.size();
         ++v) { // Their names in another kernel may be taken in this one.
        if (is_here(tree_.variables[v]) && tree_.variables[v].type.space() != Space::constant) {
            variable_names_.erase(v);
        }
    }
    std::vector<Part> parts;
    for (const StmtId inner : tree_.items(tree_.stmt(f.body).list)) {
        add_parts(inner, parts);
    }
    regions_ = 0;
    uses_.clear();
    used_in_.clear();
    number_regions(parts);
    for (VarId v = 1; v < tree_.variables.size(); ++v) {
        const Variable& variable = tree_.variables[v];
        const bool own = variables_.own.contains(v) || (is_here(variable) && variable.name.empty());
        const bool copies = variable.parameter && variable.function == id &&
                            (variable.written || variable.address_taken || types_.is_record(variable.type));
        if (variable.type.space() != Space::private_ || !is_here(variable) || !(own || copies) ||
            variables_.uniform.contains(v) || variables_.cheap.contains(v)) {
            continue;
        }
        if (copies || uses_[v].size() > 1 || variable.address_taken || types_.is_array(variable.type) ||
            types_.is_record(variable.type) || variable.name.empty()) {
            variables_.kept.insert(v);
        }
    }
    has_exits_ = has_exits_ || returns(f.body);
    const std::string name(f.name);
    run_head(name, false);
    ++indent_;
    in_group_ = true;
    loops_.clear();
    next_loop_ = 1;
    take_parameters(id);
    line();
    put("[[maybe_unused]] constexpr fy_index fy_count = 1; const fy_index fy_n = fy_g->local[0] * "
        "fy_g->local[1] * "
        "fy_g->local[2]; static_cast<void>(fy_n);");
    line();
    put("fy_arena_mark fy_mark; [[maybe_unused]] const fy_item fy_ = fy_first_item(fy_g);");
    for (const char* word : {"fy_take", "FY_TAKEN", "fy_flags", "FY_AGREE"}) {
        words_.insert(word);
    }
    if (has_exits_) {
        line();
        put("fy_flags* const fy_gone = fy_take_flags(fy_n); FY_TAKEN(fy_gone, fy_flags)");
    }
    for (VarId v = 1; v < tree_.variables.size(); ++v) {
        const Variable& variable = tree_.variables[v];
        if (is_here(variable) && variable.type.space() == Space::local && !variable.parameter) {
            line();
            put("alignas(64) ", declared(variable.type, variable_name(v), variable.token), "; FY_LOCAL(",
                variable_name(v), ")");
        }
    }
    for (const VarId v : variables_.kept) {
        const Variable& variable = tree_.variables[v];
        const std::string& own = variable_name(v);
        line();
        put("using fy_t_", own, " = ", type_name(variable.type, variable.token), "; fy_t_", own,
            "* const fy_c_", own, " = fy_take<fy_t_", own, ">(fy_n); FY_TAKEN(fy_c_", own, ", fy_t_", own,
            ")");
        if (variable.parameter && variable.function == id) {
            line();
            put("for (fy_index fy_k = 0; fy_k < fy_n; ++fy_k) fy_c_", own, "[fy_k] = ", own, ";");
        }
    }
    for (const auto& [call, result] : results_) {
        line();
        put("using fy_t_", result, " = ", type_name(call->type, call->token), "; fy_t_", result,
            "* const fy_c_", result, " = fy_take<fy_t_", result, ">(fy_n); FY_TAKEN(fy_c_", result, ", fy_t_",
            result, ")");
    }
    emit_parts(parts);
    in_group_ = false;
    --indent_;
    line();
    put("}");
    line();
    run_one_by_one(name);
}

void HostEmitter::emit_parts(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
        switch (part.kind) {
        case Part::Kind::region:
            emit_region(part);
            break;
        case Part::Kind::once:
            for (const Part::Unit& unit : part.units) {
                line();
                emit_unit(unit);
            }
            break;
        case Part::Kind::barrier:
            if (has_exits_) {
                line();
                put("FY_AGREE(fy_parted(fy_gone, fy_n), true, ", place_text(part.token), ")");
            }
            break;
        case Part::Kind::branch:
            emit_branch(part);
            break;
        case Part::Kind::loop:
            emit_loop(part);
            break;
        case Part::Kind::block:
        case Part::Kind::call:
            line();
            put("{");
            ++indent_;
            emit_parts(part.first);
            emit_parts(part.body);
            --indent_;
            line();
            put("}");
            break;
        }
    }
}

void HostEmitter::begin_items(std::uint32_t region) {
    line();
    put("FY_ITEMS_IN_ORDER", has_exits_ ? " if (fy_gone[fy_i]) continue;" : "");
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
            put("[[maybe_unused]] fy_t_", variable_name(v), "& ", variable_name(v), " = fy_c_",
                variable_name(v), "[fy_i];");
        }
    }
}

void HostEmitter::end_items() {
    --indent_;
    line();
    put("FY_ITEMS_END");
}

void HostEmitter::emit_unit(const Part::Unit& unit) {
    if (unit.call != 0) {
        put("fy_c_", results_[&expr(unit.call)], "[fy_i] = ");
        value(unit.value);
        put(";");
    } else if (unit.value != 0) {
        const Variable& v = tree_.variables[unit.variable];
        if (unit.variable == 0) {
            effects(unit.value);
        } else {
            put(variables_.kept.contains(unit.variable)
                    ? variable_name(unit.variable)
                    : declared(v.type, variable_name(unit.variable), v.token),
                " = ");
            operand(unit.value, Level::assignment);
        }
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

void HostEmitter::emit_region(const Part& part) {
    end_label_ = "fy_end" + std::to_string(++next_name_);
    left_by_return_ = left_by_jump_ = false;
    begin_items(part.number);
    line();
    put("{");
    ++indent_;
    for (const Part::Unit& unit : part.units) {
        if (unit.variable == 0 || unit.value != 0 || is_written_here(unit.variable)) {
            line();
            emit_unit(unit);
        }
    }
    --indent_;
    line();
    put("}");
    if (left_by_return_ || left_by_jump_) {
        put(" ", end_label_, ":;");
    }
    end_items();
    if (left_by_return_) {
        line();
        put("if (fy_all_gone(fy_gone, fy_n)) return;");
    }
    if (!loops_.empty() && (left_by_return_ || left_by_jump_)) {
        line();
        put("if (fy_all_skip(fy_gone, fy_n)) goto fy_next", std::to_string(loops_.back().number), ";");
    }
}

/// Writes the evaluation of a condition on which the work-items agree. Returns its value in C++.
std::string HostEmitter::emit_condition(ExprId condition_id, const Part& part) {
    const std::string name = "fy_u" + std::to_string(++next_name_);
    line();
    if (is_uniform(condition_id)) {
        put("const bool ", name, " = bool(");
        condition(condition_id);
        put(");");
        return name;
    }
    put("bool ", name, " = false, ", name, "_not = false;");
    begin_items(part.number);
    line();
    put("if (");
    condition(condition_id);
    put(") ", name, " = true; else ", name, "_not = true;");
    end_items();
    line();
    put("FY_AGREE(", name, ", ", name, "_not, ", place_text(part.token), ")");
    return name;
}

void HostEmitter::emit_branch(const Part& part) {
    line();
    put("{");
    ++indent_;
    const std::string name = emit_condition(tree_.stmt(part.statement).expr, part);
    line();
    put("if (", name, ") {");
    ++indent_;
    emit_parts(part.body);
    --indent_;
    line();
    put("} else {");
    ++indent_;
    emit_parts(part.otherwise);
    --indent_;
    line();
    put("}");
    --indent_;
    line();
    put("}");
}

void HostEmitter::emit_loop(const Part& part) {
    const Stmt& s = tree_.stmt(part.statement);
    const Loop loop{next_loop_++};
    if (loop.number > 31) {
        refuse(s.token,
               "a kernel with more than 31 loops that contain barriers is not supported on the host");
    }
    const auto leave_unless = [&] {
        emit_parts(part.test);
        if (s.expr != 0) {
            const std::string name = emit_condition(s.expr, part);
            line();
            put("if (!", name, ") break;");
        }
    };
    line();
    put("{");
    ++indent_;
    emit_parts(part.first);
    line();
    put("for (;;) {");
    ++indent_;
    if (s.kind != StmtKind::do_) {
        leave_unless();
    }
    loops_.push_back(loop);
    line();
    put("{");
    ++indent_;
    emit_parts(part.body);
    --indent_;
    line();
    put("}");
    loops_.pop_back();
    if (has_exits_) {
        line();
        put("fy_next", std::to_string(loop.number), ":; fy_clear(fy_gone, fy_n, ",
            std::to_string(2 * loop.bit()), "ul); if (fy_all_skip(fy_gone, fy_n)) break;");
    }
    line();
    put("{");
    ++indent_;
    emit_parts(part.step);
    if (s.kind == StmtKind::do_) {
        leave_unless();
    }
    --indent_;
    line();
    put("}");
    --indent_;
    line();
    put("}");
    if (has_exits_) {
        line();
        put("fy_clear(fy_gone, fy_n, ", std::to_string(loop.bit()), "ul);");
    }
    --indent_;
    line();
    put("}");
}

/// Whether the declaration has a form in the region that contains it.
bool HostEmitter::is_written_here(VarId id) const {
    const Variable& v = tree_.variables[id];
    return v.type.space() == Space::private_ && !variables_.cheap.contains(id) &&
           (!variables_.kept.contains(id) || v.initial != 0);
}

bool HostEmitter::returns(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    const auto items = s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>();
    return s.kind == StmtKind::return_ || returns(s.body) || returns(s.otherwise) ||
           std::any_of(items.begin(), items.end(), [&](StmtId inner) { return returns(inner); });
}

void HostEmitter::declare(VarId id) {
    const Variable& v = tree_.variables[id];
    if (v.type.space() == Space::local) {
        if (!in_group_) {
            refuse(v.token, "a local variable can only be declared in a kernel");
        }
        return; // It is declared at the beginning of the kernel.
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

void HostEmitter::call(const Expr& e) {
    const auto result = results_.find(&e);
    if (in_group_ && result != results_.end()) {
        return put("fy_c_", result->second, "[fy_i]");
    }
    Emitter::call(e);
}

void HostEmitter::return_statement(const Stmt& s) {
    if (!in_group_) {
        return Emitter::return_statement(s);
    }
    if (s.expr != 0) {
        effects(s.expr);
        put("; ");
    }
    put("{ fy_gone[fy_i] |= ", returned, "; goto ", end_label_, "; }");
    left_by_return_ = true;
}

void HostEmitter::jump(const Stmt& s) {
    const bool stays = inner_loops_ > 0 || (s.kind == StmtKind::break_ && inner_switches_ > 0);
    if (!in_group_ || stays) {
        return Emitter::jump(s);
    }
    const Loop& loop = loops_.back();
    put("{ fy_gone[fy_i] |= ", std::to_string(s.kind == StmtKind::break_ ? loop.bit() : 2 * loop.bit()),
        "ul; goto ", end_label_, "; }");
    left_by_jump_ = true;
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
