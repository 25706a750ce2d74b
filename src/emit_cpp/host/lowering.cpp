// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

#include <string>
#include <utility>

// Moves the barriers in expressions to parts before the statement. Values that are computed there are kept
// in an array, and the rest of the expression reads its elements.
namespace ferry::emit_cpp::host {

const std::string& HostEmitter::result_name(ExprId id) {
    const auto [at, is_new] = results_.try_emplace(id);
    if (is_new) {
        at->second = "r" + std::to_string(results_.size());
    }
    return at->second;
}

void HostEmitter::keep_value(ExprId id, ExprId value, bool is_truth, std::uint32_t token,
                             std::vector<Part>& parts) {
    result_name(id);
    Part::Unit unit;
    unit.result = id;
    unit.value = value;
    unit.is_truth = is_truth;
    add_unit(unit, false, token, parts);
}

/// Adds the expression without the parts of it that are done before, if anything is left.
void HostEmitter::add_effects(ExprId id, std::vector<Part>& parts) {
    if (is_spent(id)) {
        return;
    }
    const Expr& e = expr(id);
    if (e.kind == ExprKind::convert && e.conversion == Conversion::drop) {
        return add_effects(e.a, parts);
    }
    if (e.kind == ExprKind::comma) {
        if (!hoisted_.contains(id)) {
            add_effects(e.a, parts);
        }
        return add_effects(e.b, parts);
    }
    const bool writes =
        e.kind == ExprKind::assign || e.kind == ExprKind::compound || e.kind == ExprKind::step;
    Part::Unit unit;
    unit.effects = id;
    add_unit(unit, writes && variables_.uniform.contains(root_variable(tree_, e.a)), e.token, parts);
}

/// Whether nothing of the expression is left to do.
bool HostEmitter::is_spent(ExprId id) const {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::convert) {
        return is_spent(e.a);
    }
    if (e.kind == ExprKind::comma) {
        return hoisted_.contains(id) && is_spent(e.b);
    }
    return is_barrier(e) || is_group_call(e) || hoisted_.contains(id) || results_.contains(id);
}

/// Adds the parts of the barriers in an expression, in the order of their evaluation.
void HostEmitter::lower(ExprId id, std::vector<Part>& parts) {
    if (id == 0 || !waits_in(id)) {
        return;
    }
    const Expr& e = expr(id);
    if (is_barrier(e)) {
        return end_region(parts, e.token);
    }
    const bool chooses = (e.kind == ExprKind::conditional && !types_.is_vector(type_of(e.a))) ||
                         (e.kind == ExprKind::logical && !types_.is_vector(e.type));
    if (chooses && (waits_in(e.b) || waits_in(e.c))) {
        return lower_choice(id, parts);
    }
    if (e.kind == ExprKind::comma) {
        lower(e.a, parts);
        add_effects(e.a, parts);
        hoisted_.insert(id);
        return lower(e.b, parts);
    }
    if (e.kind == ExprKind::statements) {
        refuse(e.token, "a barrier in a statement expression is not supported on the host");
    }
    if (e.kind == ExprKind::compound_literal) {
        return lower(tree_.variables[e.index].initial, parts);
    }
    for (const ExprId inner : {e.a, e.b, e.c}) {
        lower(inner, parts);
    }
    for (const ExprId inner : tree_.items(e.list)) {
        lower(inner, parts);
    }
    if (is_group_call(e)) {
        lower_call(id, parts);
    }
}

/// The second operand of &&, || or ?: contains a barrier, so the work-items agree on the first one.
void HostEmitter::lower_choice(ExprId id, std::vector<Part>& parts) {
    const Expr& e = expr(id);
    lower(e.a, parts);
    Part part;
    part.kind = Part::Kind::branch;
    part.token = first_token(e.a);
    part.condition = e.a;
    const auto add = [&](ExprId value, std::vector<Part>& to) {
        lower(value, to);
        if (types_.is_void(e.type)) {
            add_effects(value, to);
        } else {
            keep_value(id, value, e.kind == ExprKind::logical, e.token, to);
        }
    };
    if (e.kind == ExprKind::conditional) {
        add(e.b, part.body);
        add(e.c, part.otherwise);
        hoisted_.insert(id);
    } else {
        const bool both = e.op == Op::logical_and;
        add(e.b, both ? part.body : part.otherwise);
        Part::Unit known;
        known.result = id;
        known.constant = both ? 0 : 1;
        add_unit(known, false, e.token, both ? part.otherwise : part.body);
    }
    parts.push_back(std::move(part));
}

/// A function with barriers is a part of the kernel. Its parameters are variables.
void HostEmitter::lower_call(ExprId id, std::vector<Part>& parts) {
    constexpr std::size_t most_units = 4000;
    const Expr& e = expr(id);
    if (++units_ > most_units) {
        refuse(e.token,
               "the functions with barriers that a kernel calls are too large for the host: more than " +
                   std::to_string(most_units) + " statements");
    }
    const Function& f = tree_.functions[e.index];
    Part part;
    part.kind = Part::Kind::call;
    part.token = e.token;
    part.function = e.index;
    part.call = types_.is_void(e.type) ? 0 : id;
    if (part.call != 0) {
        result_name(id);
    }
    const auto arguments = tree_.items(e.list);
    for (std::size_t n = 0; n < f.parameters.size(); ++n) {
        Part::Unit unit;
        unit.variable = f.parameters[n];
        unit.value = arguments[n];
        add_unit(unit, variables_.uniform.contains(unit.variable), e.token, part.first);
    }
    building_.push_back(Part::Kind::call);
    const auto items = tree_.items(tree_.stmt(f.body).list);
    const bool returns_last = !items.empty() && tree_.stmt(items.back()).kind == StmtKind::return_;
    const ExprId result = returns_last ? tree_.stmt(items.back()).expr : 0;
    const std::uint32_t last = returns_last ? tree_.stmt(items.back()).token : 0;
    add_list(returns_last ? items.first(items.size() - 1) : items, part.body);
    if (result != 0) {
        lower(result, part.body);
        if (part.call != 0) {
            keep_value(id, result, false, last, part.body);
        } else {
            add_effects(result, part.body);
        }
    }
    building_.pop_back();
    parts.push_back(std::move(part));
}

void HostEmitter::value(ExprId id) {
    if (in_group_) {
        if (const auto result = results_.find(id); result != results_.end()) {
            return put("fy_c_", result->second, "[fy_i]");
        }
        if (hoisted_.contains(id)) {
            return value(expr(id).b);
        }
    }
    Emitter::value(id);
}

void HostEmitter::condition(ExprId id) {
    if (in_group_ && results_.contains(id)) {
        return value(id);
    }
    if (in_group_ && hoisted_.contains(id)) {
        return condition(expr(id).b);
    }
    Emitter::condition(id);
}

Level HostEmitter::level(ExprId id) const {
    if (in_group_ && results_.contains(id)) {
        return Level::postfix;
    }
    return in_group_ && hoisted_.contains(id) ? level(expr(id).b) : Emitter::level(id);
}

} // namespace ferry::emit_cpp::host
