// SPDX-License-Identifier: Apache-2.0
#include "chain_limits.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace ferry::translate {
namespace {

struct Chain {
    std::string_view what;
    std::size_t length = 0;
};

/// An open bracket, or the open brace of a compound literal, and the lengths of the chains around it.
struct Open {
    std::size_t at = 0, choices = 0, shifts = 0;
    bool literal = false;
};

/// Whether a brace behind the parenthesis that opens at `open` begins a compound literal: no word that such a
/// parenthesis belongs to stands before it, except return.
bool opens_literal(const std::vector<Token>& tokens, std::size_t open) {
    return open != 0 && tokens[open].is("(") &&
           (tokens[open - 1].is("return") ||
            !(tokens[open - 1].is_identifier() || tokens[open - 1].is(")") || tokens[open - 1].is("]")));
}

/// The position after a parenthesis that contains only words and stars, as a cast does; i if there is none.
std::size_t behind_cast(const std::vector<Token>& tokens, std::size_t i) {
    if (!tokens[i].is("(")) {
        return i;
    }
    std::size_t n = i + 1;
    while (tokens[n].is_identifier() || tokens[n].is("*")) {
        ++n;
    }
    return n > i + 1 && tokens[n].is(")") ? n + 1 : i;
}

} // namespace

void check_chains(const std::vector<Token>& tokens, Diagnostics& diagnostics) {
    std::array<Chain, 3> chains{{{"'?:'"}, {"shifts"}, {"casts in a row"}}};
    auto& [choices, shifts, casts] = chains;
    const auto count = [&](Chain& chain, const Token& at) {
        if (++chain.length == longest_chain + 1) {
            diagnostics.error(at.at, "an expression has more than " + std::to_string(longest_chain) + " " +
                                         std::string(chain.what) +
                                         ", which is the limit; use several statements, or a table");
        }
    };
    // The lengths at each open bracket, and at each brace of a compound literal. A comma begins a new chain
    // there, not in the expression around it.
    std::vector<Open> around;
    Open closed; // By the token before.
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (const std::size_t behind = behind_cast(tokens, i); behind != i) {
            count(casts, t);
            closed = {.at = i};
            i = behind - 1;
            continue;
        }
        casts.length = 0;
        const bool literal = t.is("{") && opens_literal(tokens, closed.at);
        closed = {};
        if (t.is("(") || t.is("[") || literal) {
            around.push_back({i, choices.length, shifts.length, literal});
        } else if (!around.empty() && (t.is("}") ? around.back().literal : t.is(")") || t.is("]"))) {
            closed = around.back();
            around.pop_back();
        } else if (t.is(";") || t.is("{") || t.is("}")) {
            choices.length = shifts.length = 0;
            around.clear();
        } else if (t.is(",")) {
            choices.length = around.empty() ? 0 : around.back().choices;
            shifts.length = around.empty() ? 0 : around.back().shifts;
        } else if (t.is("?")) {
            count(choices, t);
        } else if (t.is("<<") || t.is(">>")) {
            count(shifts, t);
        }
    }
}

void check_inlined(const Syntax& syntax, std::size_t before, Diagnostics& diagnostics) {
    const std::size_t most = std::max(most_inlined, 4 * before);
    if (syntax.tokens().size() <= most) {
        return;
    }
    const auto function = std::find_if(syntax.functions().begin(), syntax.functions().end(),
                                       [](const FunctionSyntax& f) { return f.has_barrier && !f.kernel; });
    const std::size_t at = function == syntax.functions().end() ? 0 : function->name;
    diagnostics.error(syntax[at].at,
                      "the text becomes " + std::to_string(syntax.tokens().size()) +
                          " tokens when functions with barriers, such as " + quoted(syntax[at].text) +
                          ", are put into their callers; the limit is " + std::to_string(most));
}

} // namespace ferry::translate
