// SPDX-License-Identifier: Apache-2.0
#include "loop_hints.hpp"

#include <algorithm>
#include <string>

namespace ferry::translate {
namespace {

bool begins_loop(const Token& token) {
    return token.is("for") || token.is("while") || token.is("do");
}

/// The position after the attribute that begins at i; i if its brackets do not close.
std::size_t behind_attribute(const std::vector<Token>& tokens, std::size_t i) {
    std::size_t depth = 0;
    for (std::size_t n = i + 1; n < tokens.size(); ++n) {
        depth += tokens[n].is("(") ? 1 : 0;
        if (depth == 0) {
            return i;
        }
        depth -= tokens[n].is(")") ? 1 : 0;
        if (depth == 0) {
            return n + 1;
        }
    }
    return i;
}

/// "unroll 4", if there is such a hint. Empty for counts that compilers reject.
std::string unroll_hint(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i + 1 < end; ++i) {
        if (!tokens[i].is("opencl_unroll_hint") && !tokens[i].is("__opencl_unroll_hint__")) {
            continue;
        }
        const bool counted = i + 3 < end && tokens[i + 1].is("(") &&
                             tokens[i + 2].kind == TokenKind::number && tokens[i + 3].is(")");
        if (counted) {
            const std::string count(tokens[i + 2].text);
            return count.size() > 4 || count == "0" ? "" : "unroll " + count;
        }
        return tokens[i + 1].is("(") ? "" : "unroll";
    }
    return {};
}

} // namespace

void read_loop_hints(std::vector<Token>& tokens, Files& files) {
    std::vector<Token> result;
    result.reserve(tokens.size());
    for (std::size_t i = 0; i < tokens.size();) {
        std::size_t end = i;
        while (end < tokens.size() && tokens[end].is("__attribute__")) {
            const std::size_t next = behind_attribute(tokens, end);
            if (next == end) {
                break;
            }
            end = next;
        }
        const bool before_loop = end > i && end < tokens.size() && begins_loop(tokens[end]);
        if (!before_loop) {
            end = std::max(end, i + 1);
            result.insert(result.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                          tokens.begin() + static_cast<std::ptrdiff_t>(end));
        } else if (std::string text = unroll_hint(tokens, i, end); !text.empty()) {
            Token pragma = tokens[i];
            pragma.kind = TokenKind::pragma;
            pragma.line_start = true;
            pragma.text = files.keep(std::move(text));
            result.push_back(pragma);
        }
        i = end;
    }
    tokens = std::move(result);
}

} // namespace ferry::translate
