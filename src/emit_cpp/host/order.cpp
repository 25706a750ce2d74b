// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include "emit_cpp/visit.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ferry::emit_cpp::host {

using opencl_c::Conversion;
using opencl_c::Expr;
using opencl_c::ExprId;
using opencl_c::ExprKind;
using opencl_c::Op;
using opencl_c::Space;
using opencl_c::Stmt;
using opencl_c::StmtId;
using opencl_c::StmtKind;
using opencl_c::VarId;

void Order::add_statement(StmtId id) {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    switch (s.kind) {
    case StmtKind::block:
        for (const StmtId inner : tree_.items(s.list)) {
            add_statement(inner);
        }
        return;
    case StmtKind::declaration:
        for (const VarId v : tree_.items(s.list)) {
            add_declaration(v);
        }
        return;
    case StmtKind::while_:
    case StmtKind::do_:
    case StmtKind::for_:
        return loop(id);
    case StmtKind::goto_:
    case StmtKind::label:
        jumps_ = true;
        return add_statement(s.body);
    default:
        add_expression(s.expr);
        add_statement(s.body);
        add_statement(s.otherwise);
    }
}

void Order::add_declaration(VarId id) {
    const auto& v = tree_.variables[id];
    // Each iteration would have the same array.
    forbidden_ = forbidden_ || (tree_.types.contains_array(v.type) && v.type.space() == Space::private_);
    add_expression(v.initial);
}

void Order::add_expression(ExprId id) {
    ++statement_;
    expression(id, false);
}

void Order::loop(StmtId id) {
    const Stmt& s = tree_.stmt(id);
    add_statement(s.initial);
    const std::size_t begin = accesses_.size();
    around_.push_back(id);
    add_expression(s.expr);
    add_statement(s.body);
    add_expression(s.step);
    around_.pop_back();
    loops_.push_back({begin, accesses_.size()});
}

void Order::expression(ExprId id, bool nested) {
    if (id == 0) {
        return;
    }
    const Expr& e = tree_.expr(id);
    switch (e.kind) {
    case ExprKind::assign:
    case ExprKind::compound:
        access(e.a, e.kind == ExprKind::compound, true, nested);
        return expression(e.b, true);
    case ExprKind::step:
        return access(e.a, true, true, nested);
    case ExprKind::comma:
        expression(e.a, nested);
        statement_ += nested ? 0 : 1;
        return expression(e.b, nested);
    case ExprKind::address:
        forbidden_ = true;
        return;
    case ExprKind::convert:
        if (e.conversion == Conversion::load) {
            return access(e.a, true, false, nested);
        }
        return expression(e.a, nested && e.conversion != Conversion::drop);
    case ExprKind::call:
        operands(e);
        return call(e);
    case ExprKind::builtin:
        operands(e);
        return builtin(e);
    case ExprKind::statements:
        return add_statement(e.index);
    case ExprKind::compound_literal:
        return add_declaration(e.index);
    default:
        return operands(e);
    }
}

void Order::operands(const Expr& e) {
    // A component that is chosen by a variable is accessed as that of an array.
    forbidden_ = forbidden_ || (e.kind == ExprKind::element && tree_.types.is_vector(tree_.expr(e.a).type) &&
                                tree_.expr(e.b).kind != ExprKind::integer);
    for (const ExprId inner : {e.a, e.b, e.c}) {
        expression(inner, true);
    }
    for (const ExprId inner : tree_.items(e.list)) {
        expression(inner, true);
    }
}

Order::Memory Order::memory_in(Space space) {
    return space == Space::global  ? Memory::global
           : space == Space::local ? Memory::local
           : space == Space::constant // Nothing stores there.
               ? Memory::none
               : Memory::work_item;
}

/// The memory of an lvalue. None if it is a variable of the work-item to which no pointer refers.
Order::Memory Order::memory_of(ExprId place) const {
    const opencl_c::Types& types = tree_.types;
    for (;;) {
        const Expr& e = tree_.expr(place);
        const bool decays = e.kind == ExprKind::convert && e.conversion == Conversion::decay;
        if (e.kind == ExprKind::variable || e.kind == ExprKind::compound_literal) {
            const Space space = tree_.variables[e.index].type.space();
            return space == Space::private_ && !in_memory_(e.index) ? Memory::none : memory_in(space);
        }
        const bool pointed = e.kind == ExprKind::dereference || e.kind == ExprKind::element;
        if (pointed && types.is_pointer(tree_.expr(e.a).type)) {
            const Expr& base = tree_.expr(e.a);
            if (base.kind != ExprKind::convert || base.conversion != Conversion::decay) {
                return memory_in(types.element(base.type).space());
            }
        }
        if (!pointed && !decays && e.kind != ExprKind::member && e.kind != ExprKind::swizzle) {
            return Memory::none; // A string, or a part of a value.
        }
        place = e.a;
    }
}

void Order::access(ExprId place, bool load, bool store, bool nested) {
    const Memory memory = memory_of(place);
    if (memory != Memory::none) {
        forbidden_ = forbidden_ || (store && depth_ != 0); // The number of such stores is not known.
        accesses_.push_back({statement_, load, store, store && nested, !around_.empty(),
                             store && !steps_evenly(place), memory});
    }
    operands(tree_.expr(place));
}

/// A function's loads count where it is called.
void Order::call(const Expr& e) {
    constexpr unsigned deepest = 16;
    constexpr unsigned most_calls = 1000; // Each call at each level is followed, so their number may explode.
    const auto& f = tree_.functions[e.index];
    if (forbidden_ || f.body == 0 || depth_ == deepest || ++calls_ > most_calls) {
        forbidden_ = true;
        return;
    }
    const std::size_t statement = statement_;
    const std::size_t begin = accesses_.size();
    const auto around = std::exchange(around_, {});
    ++depth_;
    add_statement(f.body);
    --depth_;
    around_ = around;
    statement_ = statement;
    for (std::size_t i = begin; i < accesses_.size(); ++i) {
        accesses_[i].statement = statement;
        accesses_[i].in_loop = !around_.empty();
    }
}

void Order::builtin(const Expr& e) {
    const std::string_view name = tree_.names[e.index];
    if (name == "prefetch") {
        return;
    }
    for (const ExprId argument : tree_.items(e.list)) {
        const opencl_c::Type type = tree_.expr(argument).type;
        if (!tree_.types.is_pointer(type)) {
            continue;
        }
        const Memory memory = memory_in(tree_.types.element(type).space());
        const bool loads = name.starts_with("vload");
        const bool stores = name.starts_with("vstore");
        if (memory != Memory::none) {
            forbidden_ = forbidden_ || (!loads && depth_ != 0);
            accesses_.push_back(
                {statement_, !stores, !loads, false, !around_.empty(), !loads && !around_.empty(), memory});
        }
    }
}

/// Whether the loops around the place advance it by the same distance each time, or not at all.
bool Order::steps_evenly(ExprId place) {
    std::size_t steps = 0;
    bool is_even = true;
    for (const StmtId loop : around_) {
        const Changes& changes = changes_of(loop);
        visit_expression(tree_, place, [&](const Expr& e) {
            switch (e.kind) {
            case ExprKind::variable:
                is_even = is_even && !changes.otherwise.contains(e.index);
                steps += changes.in_head.count(e.index);
                break;
            case ExprKind::binary:
                is_even = is_even && (e.op == Op::add || e.op == Op::subtract || e.op == Op::multiply);
                break;
            case ExprKind::integer:
            case ExprKind::element:
            case ExprKind::member:
            case ExprKind::swizzle:
            case ExprKind::dereference:
            case ExprKind::convert:
                break;
            default:
                is_even = is_even && e.kind == ExprKind::unary && e.op == Op::minus;
            }
        });
    }
    return is_even && steps <= 1;
}

const Order::Changes& Order::changes_of(StmtId loop) {
    const auto [at, is_new] = changes_.try_emplace(loop);
    Changes& changes = at->second;
    if (!is_new) {
        return changes;
    }
    const Stmt& s = tree_.stmt(loop);
    const auto each = [&](const Expr& e) {
        if (e.kind == ExprKind::assign || e.kind == ExprKind::compound || e.kind == ExprKind::step) {
            changes.otherwise.insert(root_variable(tree_, e.a));
        }
    };
    visit_statement(tree_, s.body, each);
    visit_expression(tree_, s.expr, each);
    visit_expression(tree_, s.step, [&](const Expr& e) {
        const bool adds = e.kind == ExprKind::compound && (e.op == Op::add || e.op == Op::subtract);
        if (adds || e.kind == ExprKind::step) {
            changes.in_head.insert(root_variable(tree_, e.a));
        } else {
            each(e);
        }
    });
    // A variable that the body declares has another value in each iteration.
    visit_statements(tree_, s.body, [&](const Stmt& inner) {
        if (inner.kind == StmtKind::declaration) {
            for (const VarId v : tree_.items(inner.list)) {
                changes.otherwise.insert(v);
            }
        }
    });
    return changes;
}

bool Order::is_free_in(Memory memory) const {
    std::size_t first = 0;           // The first statement with a store.
    std::size_t stores = 0;          // In that statement.
    std::size_t all = 0, weight = 0; // Accesses, and stores. One in a loop may count as three.
    bool loads = false, nested = false, in_loop = false;
    for (const Access& a : accesses_) {
        if (a.memory != memory) {
            continue;
        }
        if (stores != 0 && a.statement != first && a.load) {
            return false;
        }
        if (a.store && stores == 0) {
            first = a.statement;
        }
        ++all;
        stores += a.store && a.statement == first ? 1 : 0;
        nested = nested || a.nested;
        weight += !a.store ? 0 : a.in_loop && a.repeated ? 3 : 1;
        in_loop = in_loop || (a.store && a.in_loop);
    }
    for (const Access& a : accesses_) {
        loads = loads || (a.memory == memory && a.load && stores != 0 && a.statement == first);
    }
    if ((stores > 1 && loads) || (nested && all > 1) || weight > 2 || (weight > 1 && in_loop)) {
        return false;
    }
    return std::none_of(loops_.begin(), loops_.end(), [&](const Range& loop) {
        bool load = false, store = false;
        for (std::size_t i = loop.begin; i < loop.end; ++i) {
            load = load || (accesses_[i].memory == memory && accesses_[i].load);
            store = store || (accesses_[i].memory == memory && accesses_[i].store);
        }
        return load && store;
    });
}

bool Order::is_free() const {
    const bool stores =
        std::any_of(accesses_.begin(), accesses_.end(), [](const Access& a) { return a.store; });
    if (forbidden_ || (jumps_ && stores)) {
        return false; // Later accesses may be moved before a jump.
    }
    return is_free_in(Memory::global) && is_free_in(Memory::local) && is_free_in(Memory::work_item);
}

} // namespace ferry::emit_cpp::host
