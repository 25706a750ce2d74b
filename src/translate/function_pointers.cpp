// SPDX-License-Identifier: Apache-2.0
#include "syntax.hpp"

namespace ferry::translate {
namespace {

// A statement may follow its parenthesis: if (*p) (*q)++;
bool heads_statement(const Token& token) {
    return token.is("if") || token.is("while") || token.is("for") || token.is("switch");
}

} // namespace

// Whether the ( in a declaration makes the name before it a function: int f(int), not real (x).
bool Syntax::names_function(std::size_t open) const {
    if (open < 2) {
        return false;
    }
    const Token& name = tokens_[open - 1];
    const Token& before = tokens_[open - 2];
    const bool typed =
        before.is("*") || (before.is_identifier() && !is_qualifier(before.text) && !before.is("typedef") &&
                           !before.is("struct") && !before.is("union") && !before.is("enum"));
    return typed && name.is_identifier() && !is_scalar_type(name.text) && !name.is("__attribute__") &&
           !tokens_[open + 1].is("*");
}

// int (*f)(int) at any place, and typedef int f(int). (*p)(x) as an expression would be an indirect call.
void Syntax::refuse_function_pointers(Diagnostics& diagnostics) const {
    bool in_typedef = false;
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
        const Token& before = tokens_[i - 1];
        in_typedef =
            (in_typedef || before.is("typedef")) && !before.is(";") && !before.is("{") && !before.is("[");
        if (!tokens_[i].is("(")) {
            continue;
        }
        const Token& after = tokens_[partners_[i] + 1];
        if (before.is("__attribute__")) {
            i = partners_[i];
        } else if (tokens_[i + 1].is("*") && after.is("(") && !heads_statement(before)) {
            diagnostics.error(tokens_[i].at, no_function_pointers);
        } else if (in_typedef && names_function(i)) {
            diagnostics.error(tokens_[i].at, no_function_pointers);
        }
    }
}

} // namespace ferry::translate
