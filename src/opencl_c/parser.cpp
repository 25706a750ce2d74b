// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>

namespace ferry::opencl_c {
namespace {

// The maximum depth of a tree, so that functions that read it may recurse.
constexpr std::uint16_t deepest = 4000;

} // namespace

Parser::Parser(Tree& tree, translate::Diagnostics& diagnostics, const Options& options)
    : tree_(tree), types_(tree.types), diagnostics_(diagnostics), options_(options) {}

void Parser::run() {
    try {
        while (peek().kind != translate::TokenKind::end) {
            const std::uint32_t begin = next_;
            try {
                external_declaration();
            } catch (const Stop&) {
                next_ = std::max(next_, begin + 1);
                while (scopes_.depth() > 0) {
                    scopes_.close();
                }
                function_ = 0;
                skip_balanced();
            }
        }
        check_calls();
    } catch (const TooMany&) { // Already reported.
    }
}

const translate::Token& Parser::peek(std::uint32_t ahead) {
    while (ahead == 0 && tree_.tokens[next_].kind == translate::TokenKind::pragma) {
        const std::uint32_t token = next_++;
        handle_pragma(token);
    }
    const std::size_t at = std::min<std::size_t>(std::size_t{next_} + ahead, tree_.tokens.size() - 1);
    return tree_.tokens[at];
}

std::uint32_t Parser::at() {
    peek();
    return next_;
}

std::uint32_t Parser::advance() {
    const std::uint32_t token = at();
    if (next_ + 1 < tree_.tokens.size()) {
        ++next_;
    }
    return token;
}

bool Parser::accept(std::string_view text) {
    if (!is(text)) {
        return false;
    }
    advance();
    return true;
}

std::uint32_t Parser::expect(std::string_view text, const char* after) {
    if (!is(text)) {
        // If a token is missing at the end of a line, the message points there and not to the next line.
        const std::string what = "expected '" + std::string(text) + "' " + after;
        if (next_ > 0 && peek().line_start) {
            fail_behind(next_ - 1, what);
        }
        fail_here(what + " before " + shown(at()));
    }
    return advance();
}

std::string Parser::shown(std::uint32_t token) const {
    const translate::Token& t = tree_.tokens[token];
    return t.kind == translate::TokenKind::end ? "the end of the text" : translate::quoted(t.text);
}

void Parser::error(std::uint32_t token, std::string message) {
    diagnostics_.error(tree_.place(token), std::move(message));
    if (diagnostics_.full()) {
        throw TooMany{};
    }
}

void Parser::warning(std::uint32_t token, std::string message) {
    diagnostics_.warning(tree_.place(token), std::move(message));
}

void Parser::note(std::uint32_t token, std::string message) {
    diagnostics_.add({translate::Severity::note, tree_.place(token), std::move(message)});
}

void Parser::fail(std::uint32_t token, std::string message) {
    error(token, std::move(message));
    throw Stop{};
}

void Parser::fail_behind(std::uint32_t token, std::string message) {
    translate::Position place = tree_.place(token);
    const translate::Token& t = tree_.tokens[token];
    const bool written_there =
        tree_.files->line(place.file, place.line).substr(place.column - 1).starts_with(t.text);
    // Otherwise the token comes from a macro.
    place.column += written_there ? static_cast<std::uint32_t>(t.text.size()) : 0;
    diagnostics_.error(place, std::move(message));
    if (diagnostics_.full()) {
        throw TooMany{};
    }
    throw Stop{};
}

void Parser::skip_to_statement_end() {
    std::size_t open = 0;
    while (peek().kind != translate::TokenKind::end) {
        if (open == 0 && is(";")) {
            advance();
            return;
        }
        if (is("{") || is("(") || is("[")) {
            ++open;
        } else if (is("}") || is(")") || is("]")) {
            if (open == 0 && is("}")) {
                return;
            }
            open -= open > 0 ? 1 : 0;
            if (open == 0 && is("}")) {
                advance();
                return;
            }
        }
        advance();
    }
}

/// Skips to the end of a declaration at file scope: after the next ';' or '}' outside of all brackets.
void Parser::skip_balanced() {
    std::size_t open = 0;
    while (peek().kind != translate::TokenKind::end) {
        const bool closes = is("}");
        if (is("{")) {
            ++open;
        } else if (closes) {
            open -= open > 0 ? 1 : 0;
        }
        const bool ends = open == 0 && (closes || is(";"));
        advance();
        if (ends) {
            return;
        }
        // The keyword always begins a new declaration.
        if ((is("kernel") || is("__kernel")) && peek().line_start) {
            return;
        }
    }
}

ExprId Parser::add(Expr e) {
    std::uint16_t depth = std::max({expr(e.a).depth, expr(e.b).depth, expr(e.c).depth});
    for (const ExprId item : tree_.items(e.list)) {
        depth = std::max(depth, expr(item).depth);
    }
    if (depth >= deepest) {
        error(e.token, "the expression is more than " + std::to_string(deepest) + " operations deep");
        throw TooMany{};
    }
    e.depth = static_cast<std::uint16_t>(depth + 1);
    tree_.exprs.push_back(e);
    return static_cast<ExprId>(tree_.exprs.size() - 1);
}

ExprId Parser::bad(std::uint32_t token) {
    Expr e;
    e.token = token;
    return add(e);
}

StmtId Parser::add(Stmt s) {
    std::uint16_t depth =
        std::max({tree_.stmts[s.initial].depth, tree_.stmts[s.body].depth, tree_.stmts[s.otherwise].depth});
    if (s.kind == StmtKind::block) {
        for (const StmtId item : tree_.items(s.list)) {
            depth = std::max(depth, tree_.stmts[item].depth);
        }
    }
    if (depth >= deepest) {
        error(s.token, "statements nest more than " + std::to_string(deepest) + " levels deep");
        throw TooMany{};
    }
    s.depth = static_cast<std::uint16_t>(depth + 1);
    tree_.stmts.push_back(s);
    return static_cast<StmtId>(tree_.stmts.size() - 1);
}

List Parser::list_of(const std::vector<std::uint32_t>& items) {
    const List list{static_cast<std::uint32_t>(tree_.lists.size()), static_cast<std::uint32_t>(items.size())};
    tree_.lists.insert(tree_.lists.end(), items.begin(), items.end());
    return list;
}

} // namespace ferry::opencl_c
