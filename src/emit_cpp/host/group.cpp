// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"
#include "order.hpp"

#include <algorithm>
#include <utility>

// The body of a kernel with barriers, for a whole work-group.
namespace ferry::emit_cpp::host {

void HostEmitter::group_kernel(FunctionId id) {
    const Function& f = tree_.functions[id];
    find_variables(id);
    for (const VarId v : group_variables(id)) { // Their names in another kernel may be taken here.
        if (tree_.variables[v].type.space() != Space::constant) {
            variable_names_.erase(v);
        }
    }
    std::vector<Part> parts;
    units_ = 0;
    add_list(tree_.items(tree_.stmt(f.body).list), parts);
    has_exits_ = kernel_returns_ = false;
    std::vector<Part*> around;
    find_exits(parts, around, true);
    regions_ = 0;
    uses_.clear();
    used_in_.clear();
    number_regions(parts);
    choose_kept(id);
    const std::string name(f.name);
    run_head(name, false);
    ++indent_;
    in_group_ = true;
    scopes_.clear();
    label_suffix_.clear();
    begin_group(id);
    emit_parts(parts);
    in_group_ = false;
    close();
    line();
    run_one_by_one(name);
}

/// Declares the variables of the group, and the arrays for the values that its work-items keep.
void HostEmitter::begin_group(FunctionId id) {
    take_parameters(id);
    line();
    put("[[maybe_unused]] constexpr fy_index fy_count = 1; const fy_index fy_n = fy_g->local[0] * "
        "fy_g->local[1] * fy_g->local[2]; static_cast<void>(fy_n);");
    line();
    put("fy_arena_mark fy_mark; [[maybe_unused]] const fy_item fy_ = fy_first_item(fy_g);");
    for (const char* word : {"fy_take", "FY_TAKEN", "fy_flags", "FY_AGREE"}) {
        words_.insert(word);
    }
    if (has_exits_) {
        line();
        put("fy_flags* const fy_gone = fy_take_flags(fy_n); FY_TAKEN(fy_gone, fy_flags) "
            "[[maybe_unused]] bool fy_parts = false;");
    }
    for (const VarId v : group_variables(id)) {
        const Variable& variable = tree_.variables[v];
        if (variable.type.space() == Space::local && !variable.parameter) {
            line();
            put("alignas(64) ", declared(variable.type, variable_name(v), variable.token), "; FY_LOCAL(",
                variable_name(v), ")");
        }
    }
    const auto take = [&](const std::string& name, const std::string& type) {
        line();
        put("using fy_t_", name, " = ", type, "; fy_t_", name, "* const fy_c_", name, " = fy_take<fy_t_",
            name, ">(fy_n); FY_TAKEN(fy_c_", name, ", fy_t_", name, ")");
    };
    for (const VarId v : variables_.kept) {
        const Variable& variable = tree_.variables[v];
        const std::string& own = variable_name(v);
        if (is_over_aligned(v)) {
            line();
            put("struct alignas(", std::to_string(variable.align), ") fy_a_", own, " { ",
                declared(variable.type.plain(), "fy_value", variable.token), "; };");
            take(own, "fy_a_" + own);
        } else {
            take(own, type_name(variable.type, variable.token));
        }
        if (variable.parameter && variable.function == id) {
            line();
            put("for (fy_index fy_k = 0; fy_k < fy_n; ++fy_k) fy_c_", own, "[fy_k] = ", own, ";");
        }
    }
    for (const auto& [value, result] : results_) {
        take(result, type_name(type_of(value), expr(value).token));
    }
}

void HostEmitter::emit_block(const std::vector<Part>& parts) {
    line();
    put("{");
    ++indent_;
    emit_parts(parts);
    close();
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
            if (std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.part->exits; })) {
                line();
                put("if (fy_parts) FY_AGREE(fy_parted(fy_gone, fy_n), true, ", place_text(part.token), ")");
            }
            break;
        case Part::Kind::branch:
            emit_branch(part);
            break;
        case Part::Kind::loop:
            emit_loop(part);
            break;
        case Part::Kind::switch_to:
            emit_switch(part);
            break;
        case Part::Kind::block:
            emit_block(part.body);
            break;
        case Part::Kind::jumped:
            emit_jumped(part);
            break;
        case Part::Kind::call:
            emit_call(part);
            break;
        case Part::Kind::case_label:
            line();
            if (tree_.stmt(part.statement).kind == StmtKind::case_) {
                case_label(tree_.stmt(part.statement));
            } else {
                put("default:;");
            }
            break;
        case Part::Kind::leave:
            line();
            put("goto fy_next", std::to_string(scopes_.back().number), ";");
            break;
        }
    }
}

/// Writes the evaluation of a condition on which the work-items agree. Returns its value in C++.
std::string HostEmitter::emit_condition(ExprId id, const Part& part) {
    const std::string name = "fy_u" + std::to_string(++next_name_);
    line();
    if (is_uniform(id)) {
        put("bool ", name, "; ", name, " = bool("); // In two steps, as a case label may follow.
        condition(id);
        put(");");
        return name;
    }
    put("fy_index ", name, ", ", name, "_not; ", name, " = ", name, "_not = 0;");
    Part test;
    test.condition = id;
    begin_items(part.number, is_in_any_order(test));
    line();
    put("if (");
    condition(id);
    put(") ++", name, "; else ++", name, "_not;");
    end_items();
    line();
    put("FY_AGREE(", name, ", ", name, "_not, ", place_text(part.token), ")");
    return name;
}

void HostEmitter::emit_branch(const Part& part) {
    line();
    put("{");
    ++indent_;
    const std::string name = emit_condition(part.condition, part);
    line();
    put("if (", name, ")");
    emit_block(part.body);
    if (!part.otherwise.empty()) {
        put(" else");
        emit_block(part.otherwise);
    }
    close();
}

/// Begins a loop, switch or call that some work-items may leave early.
void HostEmitter::enter(const Part& part) {
    constexpr std::size_t deepest = 31; // A word has bits for these.
    Scope scope;
    scope.part = &part;
    scope.number = ++next_name_;
    if (scopes_.size() >= deepest && has_exits_) {
        refuse(part.token, "more than " + std::to_string(deepest) +
                               " loops, switches and calls with barriers within each other are not supported "
                               "on the host");
    }
    scope.left = 2UL << (2 * std::min(scopes_.size(), deepest - 1));
    scope.next = scope.left << 1;
    if (part.exits) {
        line();
        put("bool fy_went", std::to_string(scope.number), "; fy_went", std::to_string(scope.number),
            " = false;");
    }
    scopes_.push_back(scope);
}

/// Work-items that have left only this scope continue. Those that have left an outer one too wait at its end.
void HostEmitter::end_scope() {
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    if (!scope.part->exits) {
        return;
    }
    line();
    put("if (fy_went", std::to_string(scope.number), ") { fy_clear(fy_gone, fy_n, ",
        std::to_string(scope.left | scope.next), "ul);");
    if (!scopes_.empty() && scopes_.back().part->exits) {
        put(" if (fy_all_skip(fy_gone, fy_n)) goto fy_next", std::to_string(scopes_.back().number), ";");
    }
    put(" }");
}

void HostEmitter::emit_loop(const Part& part) {
    const Stmt& s = tree_.stmt(part.statement);
    line();
    put("{");
    ++indent_;
    emit_parts(part.first);
    enter(part);
    const Scope scope = scopes_.back();
    const std::string number = std::to_string(scope.number);
    const auto leave_unless = [&] {
        emit_parts(part.test);
        if (s.expr != 0) {
            const std::string name = emit_condition(s.expr, part);
            line();
            put("if (!", name, ") break;");
        }
    };
    line();
    put("for (;;) {");
    ++indent_;
    line();
    put("{");
    ++indent_;
    if (s.kind != StmtKind::do_) {
        leave_unless();
    }
    emit_block(part.body);
    close();
    line();
    put("fy_next", number, ":;");
    if (part.exits) {
        put(" if (fy_went", number, ") { fy_clear(fy_gone, fy_n, ", std::to_string(scope.next),
            "ul); if (fy_all_skip(fy_gone, fy_n)) break; }");
    }
    line();
    put("{");
    ++indent_;
    emit_parts(part.step);
    if (s.kind == StmtKind::do_) {
        leave_unless();
    }
    close();
    close();
    end_scope();
    close();
}

/// Writes the evaluation of a selector that is the same for all work-items. Returns its name.
std::string HostEmitter::emit_selector(const Part& part) {
    const std::string name = "fy_u" + std::to_string(++next_name_);
    const std::string type = type_name(type_of(part.condition), part.token);
    line();
    put(type, " ", name, "; ", name, " = 0;");
    if (is_uniform(part.condition)) {
        put(" ", name, " = ");
        operand(part.condition, Level::assignment);
        put(";");
        return name;
    }
    put(" bool ", name, "_known, ", name, "_other; ", name, "_known = ", name, "_other = false;");
    begin_items(part.number, false);
    line();
    put("const ", type, " fy_selector = ");
    operand(part.condition, Level::assignment);
    put("; ", name, "_other = ", name, "_other || (", name, "_known && fy_selector != ", name, "); ", name,
        " = fy_selector; ", name, "_known = true;");
    end_items();
    line();
    put("FY_AGREE(", name, "_other, true, ", place_text(part.token), ")");
    return name;
}

void HostEmitter::emit_switch(const Part& part) {
    line();
    put("{");
    ++indent_;
    const std::string name = emit_selector(part);
    enter(part);
    const std::string number = std::to_string(scopes_.back().number);
    selectors_.push_back(type_of(part.condition));
    const bool before = std::exchange(splits_, true);
    line();
    put("switch (", name, ")");
    emit_block(part.body);
    splits_ = before;
    selectors_.pop_back();
    line();
    put("fy_next", number, ":;");
    end_scope();
    close();
}

void HostEmitter::emit_call(const Part& part) {
    line();
    put("{");
    ++indent_;
    emit_parts(part.first);
    enter(part);
    const std::string number = std::to_string(scopes_.back().number);
    const std::string before = std::exchange(label_suffix_, "_" + number);
    emit_block(part.body);
    label_suffix_ = before;
    line();
    put("fy_next", number, ":;");
    end_scope();
    close();
}

} // namespace ferry::emit_cpp::host
