// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <string>

// Statements. C allows jumps past initialisers and C++ does not, so functions with labels assign instead.
namespace ferry::emit_cpp {

bool Emitter::has_labels(StmtId id) const {
    if (id == 0) {
        return false;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::label || s.kind == StmtKind::case_ || s.kind == StmtKind::default_) {
        return true;
    }
    if (s.kind == StmtKind::block) {
        for (const StmtId inner : tree_.items(s.list)) {
            if (has_labels(inner)) {
                return true;
            }
        }
        return false;
    }
    return has_labels(s.body) || has_labels(s.otherwise);
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
        for (const StmtId inner : tree_.items(tree_.stmt(id).list)) {
            statement(inner);
        }
    } else {
        statement(id);
    }
    --indent_;
    line();
    put("}");
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
        return put("break;");
    case StmtKind::continue_:
        return put("continue;");
    case StmtKind::return_:
        return return_statement(s);
    case StmtKind::goto_:
        return put("goto l_", s.label, ";");
    case StmtKind::label:
        put("l_", s.label, ":;");
        return statement(s.body);
    }
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
        statement(s.initial);
        line();
    } else if (s.initial != 0 && tree_.stmt(s.initial).kind == StmtKind::expression) {
        effects(tree_.stmt(s.initial).expr);
        put(";");
        line();
    }
    if (s.unroll_hint != 0) {
        out_->line();
        put("#pragma unroll", s.unroll != 0 ? " " + std::to_string(s.unroll) : std::string());
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
        --indent_;
        line();
        put("}");
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
    const TypeKind kind = types_.integer_kind(selectors_.back());
    const auto low = static_cast<std::int64_t>(s.constant);
    const auto high = static_cast<std::int64_t>(s.last);
    if (types_.is_signed(selectors_.back()) ? high < low : s.last < s.constant) {
        return; // An empty range.
    }
    put("case ");
    integer(s.constant, kind);
    if (s.last != s.constant) {
        put(" ... ");
        integer(s.last, kind);
    }
    put(":;");
}

} // namespace ferry::emit_cpp
