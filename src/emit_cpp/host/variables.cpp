// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

#include <algorithm>
#include <array>

// The variables of a kernel with barriers: those that the group shares, and those that each work-item keeps
// from one region to the next.
namespace ferry::emit_cpp::host {
namespace {

bool is_uniform_function(std::string_view name) {
    constexpr std::array<std::string_view, 11> names{"get_local_size",
                                                     "get_num_groups",
                                                     "get_group_id",
                                                     "get_global_size",
                                                     "get_work_dim",
                                                     "get_global_offset",
                                                     "min",
                                                     "max",
                                                     "abs",
                                                     "clz",
                                                     "popcount"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

/// Notes the writes of an expression that is a statement where the parts are.
void HostEmitter::note_write(ExprId id) {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::comma) {
        note_write(e.a);
        note_write(e.b);
    } else if (e.kind == ExprKind::convert && e.conversion == Conversion::drop) {
        note_write(e.a);
    } else if ((e.kind == ExprKind::assign || e.kind == ExprKind::compound || e.kind == ExprKind::step) &&
               expr(e.a).kind == ExprKind::variable) {
        direct_writes_[expr(e.a).index].push_back(e.b);
    }
}

/// Notes the variables that are declared where the parts are, and the writes that are statements there.
void HostEmitter::find_own(StmtId id) {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    const auto items = tree_.items(s.list);
    bool leaves = false;
    switch (s.kind) {
    case StmtKind::declaration:
        variables_.own.insert(items.begin(), items.end());
        return;
    case StmtKind::expression:
        return note_write(s.expr);
    case StmtKind::block:
        std::for_each(items.begin(), items.end(), [&](StmtId inner) { find_own(inner); });
        return;
    case StmtKind::if_:
        if (has_barrier(live(s, s.body)) || has_barrier(live(s, s.otherwise))) {
            find_own(live(s, s.body));
            find_own(live(s, s.otherwise));
        }
        return;
    case StmtKind::case_:
    case StmtKind::default_:
        return find_own(s.body);
    case StmtKind::label:
        return has_barrier(id) || far_labels_.contains(id) ? find_own(s.body) : void();
    case StmtKind::while_:
    case StmtKind::do_:
    case StmtKind::for_:
        if (!has_barrier(id)) {
            return;
        }
        find_own(s.initial);
        if (s.step != 0) {
            note_write(s.step);
        }
        leaves = jumps_out(s.body, false, false);
        break;
    case StmtKind::switch_:
        if (!has_barrier(s.body)) {
            return;
        }
        leaves = leaves_unevenly(s.body);
        break;
    default:
        return;
    }
    find_own(s.body);
    if (leaves) {
        visit_statement(tree_, id, [&](const Expr& e) {
            if (e.kind == ExprKind::assign || e.kind == ExprKind::compound || e.kind == ExprKind::step) {
                exited_.insert(root_variable(tree_, e.a));
            }
        });
    }
}

bool HostEmitter::is_uniform(ExprId id) const {
    bool uniform = true;
    visit_expression(tree_, id, [&](const Expr& e) {
        switch (e.kind) {
        case ExprKind::variable: {
            const Variable& v = tree_.variables[e.index];
            const bool fixed = v.parameter && v.function == kernel_ && !v.written && !v.address_taken;
            uniform = uniform &&
                      (fixed || variables_.uniform.contains(e.index) || v.type.space() == Space::constant);
            break;
        }
        case ExprKind::element:
        case ExprKind::dereference:
            uniform = uniform && e.type.space() == Space::constant;
            break;
        case ExprKind::builtin:
            uniform = uniform && is_uniform_function(name_of(e));
            break;
        case ExprKind::error:
        case ExprKind::step:
        case ExprKind::assign:
        case ExprKind::compound:
        case ExprKind::call:
        case ExprKind::initialiser:
        case ExprKind::compound_literal:
        case ExprKind::statements:
        case ExprKind::address:
            uniform = false;
            break;
        default:
            break;
        }
    });
    return uniform;
}

/// Whether the value depends only on the ids of the work-item and on constant values.
bool HostEmitter::is_cheap(ExprId id) const {
    bool cheap = true;
    std::size_t size = 0;
    visit_expression(tree_, id, [&](const Expr& e) {
        ++size;
        switch (e.kind) {
        case ExprKind::variable: {
            const Variable& v = tree_.variables[e.index];
            const bool fixed =
                !v.written && !v.address_taken &&
                ((v.parameter && v.function == kernel_) || variables_.uniform.contains(e.index));
            cheap = cheap && (fixed || variables_.cheap.contains(e.index));
            break;
        }
        case ExprKind::builtin:
            cheap = cheap && (is_uniform_function(name_of(e)) || name_of(e) == "get_global_id" ||
                              name_of(e) == "get_local_id");
            break;
        case ExprKind::integer:
        case ExprKind::floating:
        case ExprKind::unary:
        case ExprKind::binary:
        case ExprKind::convert:
            break;
        default:
            cheap = false;
        }
    });
    return cheap && size <= 24;
}

/// Notes the functions with barriers that a function calls, and the values of their parameters.
void HostEmitter::find_calls(FunctionId id) {
    visit_statement(tree_, tree_.functions[id].body, [&](const Expr& e) {
        if (!is_group_call(e)) {
            return;
        }
        const Function& f = tree_.functions[e.index];
        const auto arguments = tree_.items(e.list);
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            variables_.own.insert(f.parameters[n]);
            direct_writes_[f.parameters[n]].push_back(arguments[n]);
            ++parameter_writes_[f.parameters[n]];
        }
        if (inlined_.insert(e.index).second) {
            find_far_labels(e.index);
            find_own(f.body);
            find_calls(e.index);
        }
    });
}

/// Notes the variables to which a pointer may refer after the expression that makes it. A built-in function
/// keeps none.
void HostEmitter::find_escapes(FunctionId id) {
    std::map<VarId, std::size_t> made, ended;
    const auto pointed = [&](ExprId pointer) -> VarId {
        ExprId at = pointer;
        while (at != 0 && expr(at).kind == ExprKind::convert && expr(at).conversion != Conversion::decay) {
            at = expr(at).a;
        }
        const bool makes =
            at != 0 && (expr(at).kind == ExprKind::address ||
                        (expr(at).kind == ExprKind::convert && types_.is_pointer(type_of(at))));
        return makes ? root_variable(tree_, expr(at).a) : 0;
    };
    visit_statement(tree_, tree_.functions[id].body, [&](const Expr& e) {
        if (e.kind == ExprKind::address ||
            (e.kind == ExprKind::convert && e.conversion == Conversion::decay)) {
            ++made[root_variable(tree_, e.a)];
        } else if (e.kind == ExprKind::element && !types_.is_vector(type_of(e.a))) {
            ++ended[pointed(e.a)];
        } else if (e.kind == ExprKind::builtin && !types_.is_pointer(e.type)) {
            for (const ExprId argument : tree_.items(e.list)) {
                ++ended[pointed(argument)];
            }
        }
    });
    for (const auto& [variable, count] : made) {
        if (count > ended[variable]) {
            variables_.escaped.insert(variable);
        }
    }
}

void HostEmitter::find_variables(FunctionId id) {
    const Function& f = tree_.functions[id];
    kernel_ = id;
    inlined_.clear();
    results_.clear();
    hoisted_.clear();
    parameter_writes_.clear();
    variables_ = {};
    direct_writes_.clear();
    exited_.clear();
    far_labels_.clear();
    has_far_labels_.clear();
    find_far_labels(id);
    find_own(f.body);
    find_calls(id);
    std::map<VarId, std::size_t> writes = parameter_writes_;
    std::set<FunctionId> all = inlined_;
    all.insert(id);
    std::set<FunctionId> labelled; // A goto may repeat an assignment, or leave it out.
    for (const FunctionId one : all) {
        find_escapes(one);
        if (has_label(tree_.functions[one].body)) {
            labelled.insert(one);
        }
        visit_statement(tree_, tree_.functions[one].body, [&](const Expr& e) {
            if (e.kind == ExprKind::assign || e.kind == ExprKind::compound || e.kind == ExprKind::step) {
                ++writes[root_variable(tree_, e.a)];
            }
        });
    }
    const auto is_plain_scalar = [&](VarId v) {
        const Variable& variable = tree_.variables[v];
        return !variable.address_taken && types_.is_scalar(variable.type) && !variable.type.is_volatile() &&
               variable.type.space() == Space::private_;
    };
    for (const VarId v : variables_.own) {
        const Variable& variable = tree_.variables[v];
        const bool is_argument = variable.parameter && writes[v] == parameter_writes_[v];
        const bool jumped = labelled.contains(variable.function) && !is_argument;
        if (is_plain_scalar(v) && writes[v] == direct_writes_[v].size() && !exited_.contains(v) && !jumped) {
            variables_.uniform.insert(v);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const VarId v : std::vector<VarId>(variables_.uniform.begin(), variables_.uniform.end())) {
            const auto& written = direct_writes_[v];
            const bool stays =
                is_uniform(tree_.variables[v].initial) &&
                std::all_of(written.begin(), written.end(), [&](ExprId e) { return is_uniform(e); });
            if (!stays) {
                variables_.uniform.erase(v);
                changed = true;
            }
        }
    }
    for (const VarId v : variables_.own) { // In the order of the declarations.
        const Variable& variable = tree_.variables[v];
        if (!variables_.uniform.contains(v) && is_plain_scalar(v) && writes[v] == 0 &&
            variable.initial != 0 && is_cheap(variable.initial)) {
            variables_.cheap.insert(v);
        }
    }
}

bool HostEmitter::overlaps(Type t) const {
    return types_.contains_array(t) || types_.contains_union(t);
}

/// Whether an attribute gives the variable a larger alignment than its type has.
bool HostEmitter::is_over_aligned(VarId id) const {
    const Variable& v = tree_.variables[id];
    return !v.parameter && v.align > types_.align(v.type);
}

/// The variables of a kernel with those of the functions with barriers that it calls, in the order of the
/// text.
std::vector<VarId> HostEmitter::group_variables(FunctionId id) const {
    std::vector<VarId> all = own_variables_[id];
    for (const FunctionId called : inlined_) {
        if (called != id) {
            all.insert(all.end(), own_variables_[called].begin(), own_variables_[called].end());
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

void HostEmitter::choose_kept(FunctionId id) {
    for (const VarId v : group_variables(id)) {
        const Variable& variable = tree_.variables[v];
        const bool own = variables_.own.contains(v) || variable.name.empty();
        const bool copies = variable.parameter && variable.function == id &&
                            (variable.written || variable.address_taken || types_.is_record(variable.type));
        if (variable.type.space() != Space::private_ || !(own || copies) || variables_.uniform.contains(v) ||
            variables_.cheap.contains(v)) {
            continue;
        }
        // After a goto a variable may have its value although its declaration is skipped.
        const bool lives_on = uses_[v].size() > 1 || has_far_labels_.contains(variable.function);
        if (copies || lives_on || variables_.escaped.contains(v) || variable.name.empty()) {
            variables_.kept.insert(v);
        }
    }
}

void HostEmitter::note_uses(const Part& region) {
    const auto use = [&](VarId v) {
        uses_[v].insert(region.number);
        used_in_[region.number].insert(v);
    };
    const auto each = [&](const Expr& e) {
        if (e.kind == ExprKind::variable || e.kind == ExprKind::compound_literal) {
            use(e.index);
        }
    };
    for (const Part::Unit& unit : region.units) {
        if (unit.variable != 0) {
            use(unit.variable);
            visit_expression(tree_, tree_.variables[unit.variable].initial, each);
        }
        visit_expression(tree_, unit.value, each);
        visit_statement(tree_, unit.statement, each);
        visit_expression(tree_, unit.effects, each);
    }
    visit_expression(tree_, region.condition, each);
}

void HostEmitter::number_regions(std::vector<Part>& parts) {
    for (Part& part : parts) {
        if (part.kind == Part::Kind::region || part.kind == Part::Kind::branch ||
            part.kind == Part::Kind::loop || part.kind == Part::Kind::switch_to) {
            part.number = ++regions_;
            note_uses(part);
        }
        for (std::vector<Part>* const inner :
             {&part.first, &part.body, &part.otherwise, &part.step, &part.test}) {
            number_regions(*inner);
        }
    }
}

} // namespace ferry::emit_cpp::host
