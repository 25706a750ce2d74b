// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

// Statements. C allows jumps past initialisers and C++ does not, so blocks with labels assign instead.
namespace ferry::emit_cpp {

/// Whether the statement is one of these, or contains one.
bool Emitter::contains(StmtId id, std::initializer_list<StmtKind> kinds) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    const auto items = s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>();
    return std::find(kinds.begin(), kinds.end(), s.kind) != kinds.end() || contains(s.body, kinds) ||
           contains(s.otherwise, kinds) ||
           std::any_of(items.begin(), items.end(), [&](StmtId inner) { return contains(inner, kinds); });
}

/// Whether the statement contains the label of a goto.
bool Emitter::has_label(StmtId id) const {
    return contains(id, {StmtKind::label});
}

/// Whether a goto or a switch around the statement may jump into it.
bool Emitter::is_jumped_into(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::label || s.kind == StmtKind::case_ || s.kind == StmtKind::default_) {
        return true;
    }
    if (s.kind == StmtKind::switch_) {
        return has_label(s.body);
    }
    const auto items = s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>();
    return is_jumped_into(s.body) || is_jumped_into(s.otherwise) ||
           std::any_of(items.begin(), items.end(), [&](StmtId inner) { return is_jumped_into(inner); });
}

/// Whether a break or continue in the statement leaves it. `in_loop`, `in_switch`: those around it that are
/// part of it.
bool Emitter::jumps_out(StmtId id, bool in_loop, bool in_switch) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    switch (s.kind) {
    case StmtKind::break_:
        return !in_loop && !in_switch;
    case StmtKind::continue_:
        return !in_loop;
    case StmtKind::while_:
    case StmtKind::do_:
    case StmtKind::for_:
        return jumps_out(s.body, true, false);
    case StmtKind::switch_:
        return jumps_out(s.body, in_loop, true);
    case StmtKind::block: {
        const auto items = tree_.items(s.list);
        return std::any_of(items.begin(), items.end(),
                           [&](StmtId inner) { return jumps_out(inner, in_loop, in_switch); });
    }
    default:
        return jumps_out(s.body, in_loop, in_switch) || jumps_out(s.otherwise, in_loop, in_switch);
    }
}

/// Whether control may leave the statement other than at its end.
bool Emitter::is_left(StmtId id) const {
    return jumps_out(id, false, false) || contains(id, {StmtKind::return_, StmtKind::goto_, StmtKind::label});
}

bool Emitter::ends_with_return(StmtId id) const {
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::block) {
        const auto items = tree_.items(s.list);
        return !items.empty() && ends_with_return(items.back());
    }
    return s.kind == StmtKind::return_;
}

/// Writes a statement as a block that follows the head of a branch or loop.
void Emitter::nested(StmtId id) {
    put(" {");
    ++indent_;
    if (id != 0 && tree_.stmt(id).kind == StmtKind::block) {
        block(id);
    } else {
        statement(id);
    }
    close();
}

/// Writes the statements of a block.
void Emitter::block(StmtId id) {
    const bool before = std::exchange(splits_, is_jumped_into(id));
    for (const StmtId inner : tree_.items(tree_.stmt(id).list)) {
        statement(inner);
    }
    splits_ = before;
}

void Emitter::statement(StmtId id) {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::empty) {
        return;
    }
    if (s.kind == StmtKind::declaration) {
        for (const VarId v : tree_.items(s.list)) {
            line();
            out_->at(tree_.place(tree_.variables[v].token));
            declare(v);
        }
        return;
    }
    line();
    out_->at(tree_.place(s.token));
    switch (s.kind) {
    case StmtKind::empty:
    case StmtKind::declaration:
        return;
    case StmtKind::block:
        return nested(id);
    case StmtKind::expression:
        effects(s.expr);
        return put(";");
    case StmtKind::if_:
        put("if (");
        condition(s.expr);
        put(")");
        nested(s.body);
        if (s.otherwise != 0) {
            put(" else");
            nested(s.otherwise);
        }
        return;
    case StmtKind::while_:
    case StmtKind::do_:
    case StmtKind::for_:
        return loop(s);
    case StmtKind::switch_:
        return switch_statement(s);
    case StmtKind::case_:
        case_label(s);
        return statement(s.body);
    case StmtKind::default_:
        put("default:;");
        return statement(s.body);
    case StmtKind::break_:
    case StmtKind::continue_:
        return jump(s);
    case StmtKind::return_:
        return return_statement(s);
    case StmtKind::goto_:
        return put("goto l_", s.label, ";");
    case StmtKind::label:
        put("l_", s.label, ":;");
        return statement(s.body);
    }
}

void Emitter::jump(const Stmt& s) {
    put(s.kind == StmtKind::break_ ? "break;" : "continue;");
}

void Emitter::return_statement(const Stmt& s) {
    if (s.expr != 0 && types_.is_void(type_of(s.expr))) {
        effects(s.expr);
        return put("; return;");
    }
    put("return");
    if (s.expr != 0) {
        put(" ");
        value(s.expr);
    }
    put(";");
}

/// The variables of a `for` that declares some are in a block around it.
void Emitter::loop(const Stmt& s) {
    const bool declares = s.initial != 0 && tree_.stmt(s.initial).kind == StmtKind::declaration;
    if (declares) {
        put("{");
        ++indent_;
        const bool before = std::exchange(splits_, is_jumped_into(s.body));
        statement(s.initial);
        splits_ = before;
        line();
    } else if (s.initial != 0 && tree_.stmt(s.initial).kind == StmtKind::expression) {
        effects(tree_.stmt(s.initial).expr);
        put(";");
        line();
    }
    if (s.unroll_hint != 0) {
        out_->line();
        const std::uint32_t times = s.unroll == 0 && dialect_ == Dialect::host ? 16 : s.unroll;
        put(dialect_ == Dialect::host ? "#pragma GCC unroll" : "#pragma unroll",
            times != 0 ? " " + std::to_string(times) : std::string());
        line();
    }
    if (s.kind == StmtKind::do_) {
        put("do");
        nested(s.body);
        put(" while (");
        condition(s.expr);
        put(");");
    } else {
        put("for (; ");
        if (s.expr != 0) {
            condition(s.expr);
        }
        put("; ");
        if (s.step != 0) {
            effects(s.step);
        }
        put(")");
        nested(s.body);
    }
    if (declares) {
        close();
    }
}

void Emitter::switch_statement(const Stmt& s) {
    put("switch (");
    value(s.expr);
    put(")");
    selectors_.push_back(type_of(s.expr));
    nested(s.body);
    selectors_.pop_back();
}

void Emitter::case_label(const Stmt& s) {
    constexpr std::uint64_t most_values = 1024;
    const TypeKind kind = types_.integer_kind(selectors_.back());
    const auto low = static_cast<std::int64_t>(s.constant);
    const auto high = static_cast<std::int64_t>(s.last);
    if (types_.is_signed(selectors_.back()) ? high < low : s.last < s.constant) {
        return; // An empty range.
    }
    const std::uint64_t more = s.last - s.constant;
    if (more >= most_values && dialect_ == Dialect::cuda) {
        refuse(s.token, "a case of more than " + std::to_string(most_values) +
                            " values is not supported on this device");
    }
    const std::uint64_t labels = more < most_values ? more : 0; // A range is a GNU extension.
    for (std::uint64_t i = 0; i <= labels; ++i) {
        put("case ");
        integer(s.constant + i, kind);
        if (labels != more) {
            put(" ... ");
            integer(s.last, kind);
        }
        put(":; ");
    }
}

} // namespace ferry::emit_cpp
