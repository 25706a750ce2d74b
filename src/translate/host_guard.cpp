// SPDX-License-Identifier: Apache-2.0
#include "host_guard.hpp"

#include "operands.hpp"
#include "statements.hpp"

#include <algorithm>
#include <array>

namespace ferry::translate {
namespace {

// Names, numbers and operators, calls of the work-item functions: evaluating it twice is as good as once.
bool is_pure(const Syntax& syntax, Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
        const Token& t = syntax[i];
        if (is_writing(t) || t.is("[") || t.is("->") || t.is("{") || t.kind == TokenKind::string) {
            return false;
        }
        if (t.is("*") || t.is("&")) { // between two operands it is arithmetic
            const Token& before = syntax[i - 1];
            if (!before.is_identifier() && !before.is(")") && before.kind != TokenKind::number) {
                return false;
            }
        }
        const bool call = t.is_identifier() && syntax[i + 1].is("(");
        if (call && !is_work_item_function(t.text) && t.text != "min" && t.text != "max") {
            return false;
        }
        if (call && (syntax.function(t.text) != nullptr || t.text.starts_with("async"))) {
            return false;
        }
    }
    return true;
}

bool declares_purely(const Syntax& syntax, Range statement) {
    Declaration d;
    return read_declaration(syntax, statement, d) && !d.is_typedef &&
           std::all_of(d.declarators.begin(), d.declarators.end(),
                       [&](const Declarator& n) { return !n.array && is_pure(syntax, n.initialiser); });
}

std::size_t end_of_statement(const Syntax& syntax, std::size_t i, std::size_t end) {
    while (i < end && !syntax[i].is(";")) {
        i = syntax[i].is("(") || syntax[i].is("[") || syntax[i].is("{") ? syntax.partner(i) + 1 : i + 1;
    }
    return std::min(i + 1, end);
}

} // namespace

std::optional<HostGuard> find_guard(const Syntax& syntax, const FunctionSyntax& kernel) {
    const std::size_t end = kernel.body.end;
    std::size_t i = kernel.body.begin;
    while (i < end && !syntax[i].is("if")) {
        const std::size_t next = end_of_statement(syntax, i, end);
        if (syntax[i].kind == TokenKind::pragma || !declares_purely(syntax, {i, next})) {
            return std::nullopt;
        }
        i = next;
    }
    if (i >= end || !syntax[i + 1].is("(")) {
        return std::nullopt;
    }
    HostGuard guard;
    guard.before = {kernel.body.begin, i};
    const std::size_t close = syntax.partner(i + 1);
    guard.condition = {i + 2, close};
    if (!is_pure(syntax, guard.condition)) {
        return std::nullopt;
    }
    std::size_t then = close + 1;
    const bool braced = syntax[then].is("{");
    const std::size_t first = braced ? then + 1 : then;
    if (syntax[first].is("return") && syntax[first + 1].is(";") && (!braced || syntax[first + 2].is("}"))) {
        guard.rest = {first + (braced ? 3 : 2), end};
        return syntax[guard.rest.begin].is("else") ? std::nullopt : std::optional(guard);
    }
    guard.leaves = false;
    guard.rest = {then, braced ? syntax.partner(then) + 1 : end_of_statement(syntax, then, end)};
    static constexpr std::array<std::string_view, 5> structured{"if", "for", "while", "do", "switch"};
    const bool simple =
        std::find(structured.begin(), structured.end(), syntax[then].text) == structured.end();
    return guard.rest.end == end && (braced || simple) ? std::optional(guard) : std::nullopt;
}

} // namespace ferry::translate
