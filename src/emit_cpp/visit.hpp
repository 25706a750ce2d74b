// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/tree.hpp"

// Traversals of a tree.
namespace ferry::emit_cpp {

template <class F>
void visit_statement(const opencl_c::Tree& tree, opencl_c::StmtId id, const F& each);

/// Calls `each(const Expr&)` for an expression and all expressions in it, outermost first.
template <class F>
void visit_expression(const opencl_c::Tree& tree, opencl_c::ExprId id, const F& each) {
    using opencl_c::ExprKind;
    if (id == 0) {
        return;
    }
    const opencl_c::Expr& e = tree.expr(id);
    each(e);
    if (e.kind == ExprKind::statements) {
        return visit_statement(tree, e.index, each);
    }
    if (e.kind == ExprKind::compound_literal) {
        return visit_expression(tree, tree.variables[e.index].initial, each);
    }
    for (const opencl_c::ExprId inner : {e.a, e.b, e.c}) {
        visit_expression(tree, inner, each);
    }
    for (const opencl_c::ExprId inner : tree.items(e.list)) {
        visit_expression(tree, inner, each);
    }
}

/// The same for all expressions in a statement.
template <class F>
void visit_statement(const opencl_c::Tree& tree, opencl_c::StmtId id, const F& each) {
    using opencl_c::StmtKind;
    if (id == 0) {
        return;
    }
    const opencl_c::Stmt& s = tree.stmt(id);
    for (const std::uint32_t item : tree.items(s.list)) {
        if (s.kind == StmtKind::declaration) {
            visit_expression(tree, tree.variables[item].initial, each);
        } else {
            visit_statement(tree, item, each);
        }
    }
    visit_statement(tree, s.initial, each);
    visit_expression(tree, s.expr, each);
    visit_expression(tree, s.step, each);
    visit_statement(tree, s.body, each);
    visit_statement(tree, s.otherwise, each);
}

/// Calls `each(const Stmt&)` for a statement and all statements in it, outermost first.
template <class F>
void visit_statements(const opencl_c::Tree& tree, opencl_c::StmtId id, const F& each) {
    if (id == 0) {
        return;
    }
    const opencl_c::Stmt& s = tree.stmt(id);
    each(s);
    if (s.kind == opencl_c::StmtKind::block) {
        for (const std::uint32_t inner : tree.items(s.list)) {
            visit_statements(tree, inner, each);
        }
    }
    visit_statements(tree, s.initial, each);
    visit_statements(tree, s.body, each);
    visit_statements(tree, s.otherwise, each);
}

/// The variable that contains the lvalue. 0: it is in memory that a pointer refers to.
inline opencl_c::VarId root_variable(const opencl_c::Tree& tree, opencl_c::ExprId id) {
    using opencl_c::ExprKind;
    for (;;) {
        const opencl_c::Expr& e = tree.expr(id);
        const bool decays = e.kind == ExprKind::convert && e.conversion == opencl_c::Conversion::decay;
        if (e.kind == ExprKind::variable || e.kind == ExprKind::compound_literal) {
            return e.index;
        }
        if (e.kind != ExprKind::member && e.kind != ExprKind::swizzle && e.kind != ExprKind::element &&
            !decays) {
            return 0;
        }
        id = e.a;
    }
}

} // namespace ferry::emit_cpp
