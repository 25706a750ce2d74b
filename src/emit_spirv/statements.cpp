// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

namespace ferry::emit_spirv {

bool Emitter::has_label(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    switch (s.kind) {
    case StmtKind::label:
    case StmtKind::case_:
    case StmtKind::default_:
        return true;
    case StmtKind::block:
        for (const StmtId inner : tree_.items(s.list)) {
            if (has_label(inner)) {
                return true;
            }
        }
        return false;
    default:
        return has_label(s.body) || has_label(s.otherwise);
    }
}

void Emitter::statement(StmtId id) {
    if (id == 0 || (body_.block == 0 && !has_label(id))) { // The statement cannot be reached.
        return;
    }
    const Stmt& s = tree_.stmt(id);
    switch (s.kind) {
    case StmtKind::empty:
        return;
    case StmtKind::block:
        for (const StmtId inner : tree_.items(s.list)) {
            statement(inner);
        }
        return;
    case StmtKind::declaration:
        for (const VarId v : tree_.items(s.list)) {
            const Variable& variable = tree_.variables[v];
            if (variable.type.space() == Space::private_ && !types_.is(variable.type, TypeKind::sampler)) {
                const Place p = declare(v);
                if (variable.initial != 0) {
                    initialise(p, variable.initial);
                }
            }
        }
        return;
    case StmtKind::expression:
        effects(s.expr);
        return;
    case StmtKind::if_:
        return if_statement(s);
    case StmtKind::while_:
    case StmtKind::do_:
    case StmtKind::for_:
        return loop(s);
    case StmtKind::switch_:
        return switch_statement(s);
    case StmtKind::case_:
    case StmtKind::default_:
        begin(body_.cases[id]);
        return statement(s.body);
    case StmtKind::break_:
        return jump(body_.breaks.back());
    case StmtKind::continue_:
        return jump(body_.continues.back());
    case StmtKind::return_:
        return return_statement(s);
    case StmtKind::goto_:
        return jump(label_of(s.label));
    case StmtKind::label:
        begin(label_of(s.label));
        return statement(s.body);
    }
}

Id Emitter::label_of(std::string_view name) {
    const auto [at, is_new] = body_.labels.emplace(name, 0);
    if (is_new) {
        at->second = module_->fresh();
    }
    return at->second;
}

void Emitter::return_statement(const Stmt& s) {
    if (s.expr == 0) {
        return end_block(Opcode::return_, {});
    }
    if (types_.is_void(type_of(s.expr))) {
        effects(s.expr);
        return end_block(Opcode::return_, {});
    }
    const Id result = value(s.expr);
    end_block(Opcode::return_value, {result});
}

void Emitter::if_statement(const Stmt& s) {
    const Id yes = module_->fresh();
    const Id no = s.otherwise != 0 ? module_->fresh() : 0;
    const Id test = condition(s.expr);
    const Id join = selection(test, yes, no);
    begin(yes);
    statement(s.body);
    bool is_reached = no == 0 || body_.block != 0;
    jump(join);
    if (no != 0) {
        begin(no);
        statement(s.otherwise);
        is_reached = is_reached || body_.block != 0;
    }
    begin(join);
    if (!is_reached) {
        end_block(Opcode::unreachable, {});
    }
}

/// Emits the body of a loop, or of a switch if `again` is 0.
void Emitter::breakable(StmtId body, Id end, Id again) {
    body_.breaks.push_back(end);
    if (again != 0) {
        body_.continues.push_back(again);
    }
    statement(body);
    if (again != 0) {
        body_.continues.pop_back();
    }
    body_.breaks.pop_back();
}

/// Whether a loop may end elsewhere than at its head, or by a condition that assigns.
bool Emitter::ends_inside(const Stmt& loop) const {
    const auto is_simple = [&](ExprId id) {
        while (expr(id).kind == ExprKind::convert) {
            id = expr(id).a;
        }
        return expr(id).kind == ExprKind::variable || expr(id).kind == ExprKind::integer;
    };
    if (loop.kind == StmtKind::do_ || loop.expr == 0) {
        return true;
    }
    const Expr& e = expr(loop.expr);
    return e.kind != ExprKind::binary || !is_simple(e.a) || !is_simple(e.b);
}

void Emitter::loop(const Stmt& s) {
    statement(s.initial);
    const Id head = module_->fresh();
    const Id test = module_->fresh();
    const Id body = module_->fresh();
    const Id next = module_->fresh();
    const Id done = module_->fresh();
    begin(head);
    const Id ends = ends_inside(s) ? never() : 0;
    const std::uint32_t control = s.unroll_hint == 0 ? 0 : s.unroll == 1 ? loop_dont_unroll : loop_unroll;
    act(Opcode::loop_merge, {done, next, control});
    if (ends != 0) {
        const Id inside = module_->fresh();
        branch_on(ends, done, inside);
        begin(inside);
    }
    const bool tests_first = s.kind != StmtKind::do_;
    if (tests_first) {
        begin(test);
        if (s.expr != 0) {
            branch_on(condition(s.expr), body, done);
        }
    }
    begin(body);
    breakable(s.body, done, next);
    begin(next);
    if (!tests_first) {
        branch_on(condition(s.expr), head, done);
    } else {
        if (s.step != 0) {
            effects(s.step);
        }
        jump(head);
    }
    begin(done);
}

/// Collects the labels of one switch, without those of nested switches.
void Emitter::collect_cases(StmtId id, std::vector<StmtId>& cases) const {
    if (id == 0 || tree_.stmt(id).kind == StmtKind::switch_) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::case_ || s.kind == StmtKind::default_) {
        cases.push_back(id);
    }
    if (s.kind == StmtKind::block) {
        for (const StmtId inner : tree_.items(s.list)) {
            collect_cases(inner, cases);
        }
    }
    collect_cases(s.body, cases);
    collect_cases(s.otherwise, cases);
}

/// Emits the test of a range that is too large for a list of its values.
void Emitter::range_case(Id&, TypeKind, Id within, StmtId id, Words&) {
    const Id next = module_->fresh();
    branch_on(within, body_.cases[id], next);
    begin(next);
}

void Emitter::switch_statement(const Stmt& s) {
    constexpr std::uint64_t most_values = 256; // The largest range that is emitted as separate values.
    Id selector = value(s.expr);
    const Shape kind = shape(type_of(s.expr));
    const Id done = module_->fresh();
    std::vector<StmtId> cases;
    collect_cases(s.body, cases);
    Id otherwise = done;
    Words targets;
    std::vector<StmtId> ranges;
    for (const StmtId id : cases) {
        const Stmt& c = tree_.stmt(id);
        const Id label = body_.cases[id] = module_->fresh();
        if (c.kind == StmtKind::default_) {
            otherwise = label;
        } else if (c.last - c.constant >= most_values) {
            ranges.push_back(id);
        } else {
            for (std::uint64_t v = c.constant; v != c.last + 1; ++v) {
                targets.push_back(static_cast<std::uint32_t>(v));
                if (opencl_c::size_of(kind.kind) == 8) {
                    targets.push_back(static_cast<std::uint32_t>(v >> 32));
                }
                targets.push_back(label);
            }
        }
    }
    for (const StmtId id : ranges) {
        const Stmt& c = tree_.stmt(id);
        const bool empty = is_signed(kind.kind)
                               ? static_cast<std::int64_t>(c.last) < static_cast<std::int64_t>(c.constant)
                               : c.last < c.constant;
        if (empty) {
            continue;
        }
        const Id low =
            comparison(opencl_c::Op::greater_equal, kind.kind, 1, selector, integer(kind.kind, c.constant));
        const Id high =
            comparison(opencl_c::Op::less_equal, kind.kind, 1, selector, integer(kind.kind, c.last));
        range_case(selector, kind.kind, make(Opcode::logical_and, bool_type(), {low, high}), id, targets);
    }
    act(Opcode::selection_merge, {done, 0});
    Words operands{selector, otherwise};
    operands.insert(operands.end(), targets.begin(), targets.end());
    if (operands.size() > 65'000) {
        refuse(s.token, "a switch with more than 20,000 values has no form in SPIR-V");
    }
    end_block(Opcode::switch_, operands);
    breakable(s.body, done, 0);
    begin(done);
}

} // namespace ferry::emit_spirv
