// SPDX-License-Identifier: Apache-2.0
#include "missing_features.hpp"
#include "parser.hpp"

#include <algorithm>

namespace ferry::opencl_c {

StmtId Parser::compound(bool new_scope) {
    const Nesting nesting(*this);
    Stmt made;
    made.kind = StmtKind::block;
    made.token = at();
    expect("{", "before the body");
    if (new_scope) {
        scopes_.open();
    }
    const std::uint32_t depth = scopes_.depth();
    std::vector<StmtId> all;
    while (!is("}")) {
        if (peek().kind == translate::TokenKind::end) {
            error(at(), "expected '}', but here is the end of the text");
            note(made.token, "the '{' is here");
            throw Stop{};
        }
        const std::uint32_t begin = next_;
        try {
            all.push_back(statement(true));
        } catch (const Stop&) {
            while (scopes_.depth() > depth) {
                scopes_.close();
            }
            // A kernel cannot begin inside a function: a '}' is missing before it.
            const bool at_kernel = (is("kernel") || is("__kernel")) && peek().line_start;
            if (peek().kind == translate::TokenKind::end || at_kernel) {
                throw;
            }
            next_ = std::max(next_, begin);
            skip_to_statement_end();
            if (next_ == begin) {
                advance();
            }
        }
    }
    advance();
    if (new_scope) {
        scopes_.close();
    }
    made.list = list_of(all);
    return add(made);
}

StmtId Parser::statement(bool may_declare) {
    const Nesting nesting(*this);
    Attributes before;
    if (is("__attribute__") || is("__attribute")) {
        const std::uint32_t begin = next_;
        attributes(before);
        if (before.unroll) {
            unroll_ = before.unroll;
        }
        next_ = starts_type() ? begin : next_; // They belong to the declaration.
    }
    return statement_inside(may_declare);
}

StmtId Parser::statement_inside(bool may_declare) {
    const translate::Token& t = peek();
    Stmt made;
    made.token = at();
    if (t.is("{")) {
        return compound(true);
    }
    if (t.is(";")) {
        advance();
        return add(made);
    }
    if (t.is_identifier()) {
        const std::string_view word = t.text;
        if (word == "if") {
            return if_statement();
        }
        if (word == "for") {
            return for_statement();
        }
        if (word == "while") {
            return while_statement();
        }
        if (word == "do") {
            return do_statement();
        }
        if (word == "switch") {
            return switch_statement();
        }
        if (word == "case" || word == "default") {
            return case_statement();
        }
        if (word == "break" || word == "continue" || word == "goto") {
            return jump_statement();
        }
        if (word == "return") {
            return return_statement();
        }
        if (word == "asm" || word == "__asm__" || word == "__asm") {
            fail_here("the language has no assembler" + advice("assembler"));
        }
        if (peek(1).is(":") && !starts_type()) {
            made.kind = StmtKind::label;
            made.label = word;
            if (!labels_.insert(word).second) {
                error(made.token, "the label " + translate::quoted(word) + " is defined twice");
            }
            advance();
            advance();
            Attributes ignored;
            attributes(ignored);
            made.body = is("}") ? 0 : statement();
            if (const Stmt inner = tree_.stmts[made.body]; inner.kind == StmtKind::label) {
                other_labels_.emplace(inner.label, made.label);
                made.body = inner.body;
            }
            return add(made);
        }
        if (starts_type()) {
            if (!may_declare) {
                fail_here("a declaration is no statement; write it in braces");
            }
            made.kind = StmtKind::declaration;
            Specifiers s = specifiers();
            made.list = declaration(s);
            return add(made);
        }
        // Two adjacent names: the first one was intended as a type.
        if (peek(1).is_identifier() && scopes_.find(word) == nullptr) {
            static_cast<void>(specifiers());
        }
    }
    made.kind = StmtKind::expression;
    const std::uint32_t begin = at();
    ExprId e = expression();
    if (!is_bad(e) && expr(e).lvalue && !types_.is_array(type_of(e))) {
        e = value(e);
    }
    made.expr = e;
    const ExprKind kind = expr(e).kind;
    const bool unused = kind == ExprKind::binary || kind == ExprKind::unary ||
                        (kind == ExprKind::convert && !expr(e).explicit_cast &&
                         expr(e).conversion == Conversion::load && !type_of(e).is_volatile() && !is("}"));
    expect(";", "after the expression");
    std::uint32_t next = 0;
    while (peek(next).is(";")) {
        ++next;
    }
    const bool is_result = peek(next).is("}") && peek(next + 1).is(")"); // Of a statement expression.
    if (unused && !is_bad(e) && !is_result) {
        warning(begin, "the value of the expression is not used");
    }
    return add(made);
}

ExprId Parser::condition() {
    expect("(", "before the condition");
    const ExprId e = truth(expression(), "a condition");
    expect(")", "after the condition");
    return e;
}

StmtId Parser::if_statement() {
    Stmt made;
    made.kind = StmtKind::if_;
    made.token = advance();
    scopes_.open();
    made.expr = condition();
    scopes_.open();
    made.body = statement();
    scopes_.close();
    if (accept("else")) {
        scopes_.open();
        made.otherwise = statement();
        scopes_.close();
    }
    scopes_.close();
    return add(made);
}

StmtId Parser::body_of_loop() {
    ++loops_;
    scopes_.open();
    const StmtId body = statement();
    scopes_.close();
    --loops_;
    return body;
}

StmtId Parser::for_statement() {
    Stmt made;
    made.kind = StmtKind::for_;
    made.unroll_hint = unroll_ ? 1 : 0;
    made.unroll = unroll_.value_or(0);
    unroll_.reset();
    made.token = advance();
    expect("(", "after 'for'");
    scopes_.open();
    if (!accept(";")) {
        Stmt initial;
        initial.token = at();
        if (starts_type()) {
            initial.kind = StmtKind::declaration;
            initial.list = declaration(specifiers());
        } else {
            initial.kind = StmtKind::expression;
            initial.expr = expression();
            expect(";", "after the first part of 'for'");
        }
        made.initial = add(initial);
    }
    if (!is(";")) {
        made.expr = truth(expression(), "a condition");
    }
    expect(";", "after the condition of 'for'");
    if (!is(")")) {
        made.step = expression();
    }
    expect(")", "after the head of 'for'");
    made.body = body_of_loop();
    scopes_.close();
    return add(made);
}

StmtId Parser::while_statement() {
    Stmt made;
    made.kind = StmtKind::while_;
    made.unroll_hint = unroll_ ? 1 : 0;
    made.unroll = unroll_.value_or(0);
    unroll_.reset();
    made.token = advance();
    made.expr = condition();
    made.body = body_of_loop();
    return add(made);
}

StmtId Parser::do_statement() {
    Stmt made;
    made.kind = StmtKind::do_;
    made.unroll_hint = unroll_ ? 1 : 0;
    made.unroll = unroll_.value_or(0);
    unroll_.reset();
    made.token = advance();
    made.body = body_of_loop();
    expect("while", "after the body of 'do'");
    made.expr = condition();
    expect(";", "after 'do ... while (...)'");
    return add(made);
}

StmtId Parser::switch_statement() {
    Stmt made;
    made.kind = StmtKind::switch_;
    made.token = advance();
    expect("(", "after 'switch'");
    ExprId e = value(expression());
    expect(")", "after the value of 'switch'");
    if (!is_bad(e) && !types_.is_integer(type_of(e))) {
        error(token_of(e), "the value of a 'switch' must be an integer, but it has type " + name(type_of(e)));
        e = bad(made.token);
    }
    made.expr = is_bad(e) ? e : promote(e);
    switch_types_.push_back(is_bad(e) ? Types::basic(TypeKind::int_) : type_of(made.expr));
    cases_.emplace_back();
    defaults_.push_back(false);
    ++switches_;
    scopes_.open();
    made.body = statement();
    scopes_.close();
    --switches_;
    switch_types_.pop_back();
    cases_.pop_back();
    defaults_.pop_back();
    return add(made);
}

StmtId Parser::case_statement() {
    Stmt made;
    made.token = at();
    const bool is_default = tree_.tokens[advance()].text == "default";
    made.kind = is_default ? StmtKind::default_ : StmtKind::case_;
    if (switches_ == 0) {
        error(made.token, shown(made.token) + " is outside of a 'switch'");
    }
    if (!is_default) {
        bool is_signed = true;
        made.constant = constant_expression("the value of a 'case'", is_signed);
        made.last = made.constant;
        if (accept("...")) {
            made.last = constant_expression("the value of a 'case'", is_signed);
        }
        if (switches_ > 0) {
            made.constant = truncated(made.constant, switch_types_.back());
            made.last = truncated(made.last, switch_types_.back());
            auto& known = cases_.back();
            const auto number = static_cast<std::int64_t>(made.constant);
            const auto at = std::lower_bound(known.begin(), known.end(), number);
            if (at != known.end() && *at == number) {
                error(made.token, "the value " + std::to_string(number) + " has a 'case' already");
            } else {
                known.insert(at, number);
            }
        }
    } else if (switches_ > 0) {
        if (defaults_.back()) {
            error(made.token, "the 'switch' has a 'default' already");
        }
        defaults_.back() = true;
    }
    expect(":", is_default ? "after 'default'" : "after the value of 'case'");
    made.body = is("}") ? 0 : statement();
    return add(made);
}

StmtId Parser::jump_statement() {
    Stmt made;
    made.token = advance();
    const std::string_view word = tree_.tokens[made.token].text;
    if (word == "goto") {
        made.kind = StmtKind::goto_;
        if (!is_name()) {
            fail_here("expected a label after 'goto', but here is " + shown(at()));
        }
        made.label = peek().text;
        gotos_.emplace_back(made.label, at());
        advance();
    } else {
        made.kind = word == "break" ? StmtKind::break_ : StmtKind::continue_;
        if (loops_ == 0 && (word == "continue" || switches_ == 0)) {
            error(made.token,
                  shown(made.token) + " is outside of a loop" + (word == "break" ? " or 'switch'" : ""));
        }
    }
    expect(";", "after the statement");
    return add(made);
}

StmtId Parser::return_statement() {
    Stmt made;
    made.kind = StmtKind::return_;
    made.token = advance();
    if (!is(";")) {
        const ExprId e = expression();
        const Function& f = tree_.functions[function_];
        if (types_.is_void(result_)) {
            if (!types_.is_void(type_of(e)) && !is_bad(e)) {
                error(made.token, "the " + std::string(f.kernel ? "kernel " : "function ") +
                                      translate::quoted(f.name) +
                                      " returns nothing, but here it returns a value");
            }
            made.expr = e;
        } else {
            made.expr = convert(e, result_, Use::give_back, made.token);
        }
    } else if (!types_.is_void(result_)) {
        error(made.token, "the function " + translate::quoted(tree_.functions[function_].name) +
                              " returns a value of type " + name(result_) + ", but here it returns none");
    }
    expect(";", "after 'return'");
    return add(made);
}

/// Whether control may reach the end of a statement. An estimate; a wrong one only causes a needless warning.
bool Parser::falls_through(StmtId id) const {
    if (id == 0) {
        return true;
    }
    const Stmt& s = tree_.stmts[id];
    switch (s.kind) {
    case StmtKind::return_:
    case StmtKind::goto_:
    case StmtKind::break_:
    case StmtKind::continue_:
        return false;
    case StmtKind::block: {
        const auto items = tree_.items(s.list);
        return items.empty() || std::all_of(items.begin(), items.end(),
                                            [&](StmtId i) {
                                                const StmtKind kind = tree_.stmts[i].kind;
                                                return kind != StmtKind::return_ || i == items.back();
                                            })
                   ? items.empty() || falls_through(items.back())
                   : false;
    }
    case StmtKind::if_:
        return s.otherwise == 0 || falls_through(s.body) || falls_through(s.otherwise);
    case StmtKind::label:
    case StmtKind::case_:
    case StmtKind::default_:
        return falls_through(s.body);
    case StmtKind::while_:
    case StmtKind::for_:
        return s.expr != 0 && evaluate(s.expr).value_or(0) == 0;
    case StmtKind::do_:
        return evaluate(s.expr).value_or(0) == 0 && falls_through(s.body);
    case StmtKind::switch_:
        return false; // Its cases are not analysed.
    default:
        return true;
    }
}

} // namespace ferry::opencl_c
