// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

// Finds the statements and expressions that contain barriers.
namespace ferry::emit_cpp::host {
namespace {

/// Numbers the stretches of a function between its barriers. A goto may lead to a label in its own stretch.
class Stretches {
public:
    Stretches(const Tree& tree, std::function<bool(StmtId)> has_barrier)
        : tree_(tree), has_barrier_(std::move(has_barrier)) {}

    void walk(StmtId id) {
        if (id == 0) {
            return;
        }
        const Stmt& s = tree_.stmt(id);
        if (!has_barrier_(id)) {
            return visit_statements(tree_, id, [&](const Stmt& inner) { note(inner); });
        }
        note(s);
        const bool goes_on = s.kind == StmtKind::block || s.kind == StmtKind::label;
        current_ += goes_on ? 0 : 1;
        for (const StmtId inner :
             s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>()) {
            walk(inner);
        }
        for (const StmtId inner : {s.initial, s.body, s.otherwise}) {
            walk(inner);
            current_ += goes_on ? 0 : 1;
        }
    }

    /// A goto that leads to another stretch. Null if there is none.
    const Stmt* far() const {
        for (const auto& [jump, stretch] : jumps_) {
            const auto label = labels_.find(jump->label);
            if (label == labels_.end() || label->second != stretch) {
                return jump;
            }
        }
        return nullptr;
    }

private:
    void note(const Stmt& s) {
        if (s.kind == StmtKind::label) {
            labels_[s.label] = current_;
        } else if (s.kind == StmtKind::goto_) {
            jumps_.emplace_back(&s, current_);
        }
    }

    const Tree& tree_;
    std::function<bool(StmtId)> has_barrier_;
    std::map<std::string_view, std::size_t> labels_;
    std::vector<std::pair<const Stmt*, std::size_t>> jumps_;
    std::size_t current_ = 0;
};

} // namespace

/// Whether the expression itself is a call that waits for the group.
bool HostEmitter::is_barrier(const Expr& e) const {
    return e.kind == ExprKind::builtin && waits(name_of(e));
}

/// The value of an integer constant expression of literals. None for other expressions.
std::optional<std::int64_t> HostEmitter::folded(ExprId id) const {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::integer) {
        return static_cast<std::int64_t>(e.constant);
    }
    if (e.kind == ExprKind::convert && types_.is_integer(e.type) && types_.is_integer(type_of(e.a))) {
        return folded(e.a);
    }
    if (e.kind == ExprKind::unary && e.op == Op::logical_not) {
        const auto a = folded(e.a);
        return a ? std::optional<std::int64_t>(*a == 0 ? 1 : 0) : std::nullopt;
    }
    const bool compares = e.kind == ExprKind::binary && is_comparison(e.op);
    if (!compares && e.kind != ExprKind::logical) {
        return std::nullopt;
    }
    const auto a = folded(e.a);
    const auto b = folded(e.b);
    if (!a || !b || *a < 0 || *b < 0) { // Then signs do not matter.
        return std::nullopt;
    }
    switch (e.op) {
    case Op::less:
        return *a < *b ? 1 : 0;
    case Op::greater:
        return *a > *b ? 1 : 0;
    case Op::less_equal:
        return *a <= *b ? 1 : 0;
    case Op::greater_equal:
        return *a >= *b ? 1 : 0;
    case Op::equal:
        return *a == *b ? 1 : 0;
    case Op::not_equal:
        return *a != *b ? 1 : 0;
    case Op::logical_and:
        return *a != 0 && *b != 0 ? 1 : 0;
    default:
        return *a != 0 || *b != 0 ? 1 : 0;
    }
}

/// Whether the statement contains a barrier, except in branches that are never taken.
bool HostEmitter::has_barrier(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::block) {
        const auto items = tree_.items(s.list);
        return std::any_of(items.begin(), items.end(), [&](StmtId inner) { return has_barrier(inner); });
    }
    if (s.kind == StmtKind::declaration) {
        const auto items = tree_.items(s.list);
        return std::any_of(items.begin(), items.end(),
                           [&](VarId v) { return waits_in(tree_.variables[v].initial); });
    }
    if (s.kind == StmtKind::if_) {
        const auto known = folded(s.expr);
        return waits_in(s.expr) || ((!known || *known != 0) && has_barrier(s.body)) ||
               ((!known || *known == 0) && has_barrier(s.otherwise));
    }
    const bool never = (s.kind == StmtKind::while_ || s.kind == StmtKind::for_) && s.expr != 0 &&
                       folded(s.expr).value_or(1) == 0;
    return waits_in(s.expr) || has_barrier(s.initial) ||
           (!never && (waits_in(s.step) || has_barrier(s.body) || has_barrier(s.otherwise)));
}

bool HostEmitter::waits_in(ExprId id) const {
    bool found = false;
    visit_expression(tree_, id, [&](const Expr& e) { found = found || is_barrier(e) || is_group_call(e); });
    return found;
}

/// Whether the statement contains a case of a switch around it.
bool HostEmitter::has_case(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::switch_) {
        return false;
    }
    const auto items = s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>();
    return s.kind == StmtKind::case_ || s.kind == StmtKind::default_ || has_case(s.body) ||
           has_case(s.otherwise) ||
           std::any_of(items.begin(), items.end(), [&](StmtId inner) { return has_case(inner); });
}

/// Whether some work-items may leave the switch with this body before the others.
bool HostEmitter::leaves_unevenly(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    const bool waits = has_barrier(id);
    const auto items = s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>();
    switch (s.kind) {
    case StmtKind::break_:
        return false;
    case StmtKind::block:
        return std::any_of(items.begin(), items.end(), [&](StmtId inner) { return leaves_unevenly(inner); });
    case StmtKind::case_:
    case StmtKind::default_:
    case StmtKind::label:
        return leaves_unevenly(s.body);
    case StmtKind::if_:
        return waits && (has_barrier(s.body) || has_barrier(s.otherwise))
                   ? leaves_unevenly(s.body) || leaves_unevenly(s.otherwise)
                   : jumps_out(id, false, false);
    default:
        return jumps_out(id, false, false);
    }
}

/// All work-items of a group would have to take such a goto, and a region takes it for each of them.
void HostEmitter::check_labels(FunctionId id) const {
    Stretches stretches(tree_, [this](StmtId s) { return has_barrier(s); });
    stretches.walk(tree_.functions[id].body);
    if (const Stmt* const jump = stretches.far()) {
        refuse(jump->token, "a goto that leads past a barrier is not supported on the host");
    }
}

} // namespace ferry::emit_cpp::host
