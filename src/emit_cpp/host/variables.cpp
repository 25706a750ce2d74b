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

/// Notes the variables that are declared where the parts are, and the writes that are statements there.
void HostEmitter::find_own(StmtId id) {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    const auto note_write = [&](ExprId written) {
        const Expr& e = written != 0 ? expr(written) : expr(0);
        if (e.kind == ExprKind::assign || e.kind == ExprKind::compound || e.kind == ExprKind::step) {
            if (expr(e.a).kind == ExprKind::variable) {
                direct_writes_[expr(e.a).index].push_back(e.b);
            }
        }
    };
    if (s.kind == StmtKind::declaration) {
        for (const VarId v : tree_.items(s.list)) {
            variables_.own.insert(v);
        }
        return;
    }
    if (s.kind == StmtKind::expression) {
        return note_write(s.expr);
    }
    if (s.kind == StmtKind::block) {
        for (const StmtId inner : tree_.items(s.list)) {
            find_own(inner);
        }
        return;
    }
    if (!has_barrier(id)) {
        return;
    }
    find_own(s.initial);
    note_write(s.step);
    find_own(s.body);
    find_own(s.otherwise);
    const bool loops = s.kind == StmtKind::while_ || s.kind == StmtKind::do_ || s.kind == StmtKind::for_;
    if (loops && jumps_out(s.body, false, false)) {
        has_exits_ = true;
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

/// Whether the value depends only on the ids of the work-item and on what never changes.
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
        if (e.kind != ExprKind::call || is_function(e.index)) {
            return;
        }
        const Function& f = tree_.functions[e.index];
        if (has_label(f.body)) {
            refuse(f.token, "a goto in a function with a barrier is not emitted for the host yet");
        }
        if (!types_.is_void(e.type)) {
            results_.emplace(&e, "r" + std::to_string(results_.size()));
        }
        const auto arguments = tree_.items(e.list);
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            variables_.own.insert(f.parameters[n]);
            direct_writes_[f.parameters[n]].push_back(arguments[n]);
            ++parameter_writes_[f.parameters[n]];
        }
        if (inlined_.insert(e.index).second) {
            find_own(f.body);
            find_calls(e.index);
        }
    });
}

void HostEmitter::find_variables(FunctionId id) {
    const Function& f = tree_.functions[id];
    kernel_ = id;
    inlined_.clear();
    results_.clear();
    parameter_writes_.clear();
    variables_ = {};
    direct_writes_.clear();
    exited_.clear();
    has_exits_ = false;
    find_own(f.body);
    find_calls(id);
    std::map<VarId, std::size_t> writes = parameter_writes_;
    std::set<FunctionId> all = inlined_;
    all.insert(id);
    for (const FunctionId one : all) {
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
        if (is_plain_scalar(v) && writes[v] == direct_writes_[v].size() && !exited_.contains(v)) {
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
    if (region.statement != 0) {
        visit_expression(tree_, tree_.stmt(region.statement).expr, each);
    }
}

void HostEmitter::number_regions(std::vector<Part>& parts) {
    for (Part& part : parts) {
        if (part.kind == Part::Kind::region || part.kind == Part::Kind::branch ||
            part.kind == Part::Kind::loop) {
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
