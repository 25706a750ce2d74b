// SPDX-License-Identifier: Apache-2.0
#include "declarators.hpp"

#include "operands.hpp"

namespace ferry::translate {
namespace {

// Whether a function name in parentheses begins there.
bool is_name_in_parentheses(const std::vector<Token>& tokens, std::size_t i) {
    if (i == 0 || i + 3 >= tokens.size() || !tokens[i].is("(") || !tokens[i + 1].is_identifier() ||
        !tokens[i + 2].is(")") || !tokens[i + 3].is("(")) {
        return false;
    }
    const Token& before = tokens[i - 1];
    return before.is("*") || (before.is_identifier() && !before.is("__attribute__"));
}

} // namespace

void drop_parentheses(std::vector<Token>& tokens) {
    std::size_t kept = 0;
    std::size_t depth = 0; // 0 outside of functions.
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (depth == 0 && is_name_in_parentheses(tokens, i)) {
            tokens[kept] = tokens[i + 1];
            tokens[kept++].space_before = true;
            i += 2;
            continue;
        }
        depth += opens_bracket(tokens[i]) ? 1 : 0;
        depth -= depth != 0 && closes_bracket(tokens[i]) ? 1 : 0;
        tokens[kept++] = tokens[i];
    }
    tokens.resize(kept);
}

} // namespace ferry::translate
