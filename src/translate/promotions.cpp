// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

// c ? a : b of two chars or shorts is an int in C and keeps its type in C++. That shows where a function is
// chosen by the type, or the size is asked for: as an argument it becomes fy_promoted(c ? a : b). Operators
// promote what they get in both languages.
namespace ferry::translate {
namespace {

/// A function, or sizeof.
bool is_called(const Token& t) {
    static constexpr std::array<std::string_view, 7> words{"if",      "while",       "for",          "switch",
                                                           "aligned", "__aligned__", "__attribute__"};
    return t.is("sizeof") || (is_name(t) && std::find(words.begin(), words.end(), t.text) == words.end());
}

/// A part of the tokens, and where a word goes in front of it and a bracket behind.
struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The arguments of calls that are a choice as a whole, in order of their ends.
std::vector<Part> chosen_arguments(const std::vector<Token>& tokens, std::size_t first) {
    struct Open {
        bool call = false;
        bool choice = false;
        std::size_t begin = 0; ///< of the argument
    };
    std::vector<Part> found;
    std::vector<Open> open;
    const auto end_argument = [&](std::size_t end) {
        if (!open.empty() && open.back().call && open.back().choice) {
            found.push_back({open.back().begin, end});
        }
    };
    for (std::size_t i = first; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (opens_bracket(t)) {
            open.push_back({t.is("(") && i > first && is_called(tokens[i - 1]), false, i + 1});
        } else if (closes_bracket(t)) {
            end_argument(i);
            if (!open.empty()) {
                open.pop_back();
            }
        } else if (!open.empty() && t.is(",")) {
            end_argument(i);
            open.back().choice = false;
            open.back().begin = i + 1;
        } else if (!open.empty() && t.is("?")) {
            open.back().choice = true;
        } else if (!open.empty() && (is_assignment(t) || t.is(";"))) {
            open.back().call = false; // no argument, or one with a type of its own
        }
    }
    return found;
}

} // namespace

void Rewriter::promotions(std::vector<Token>& tokens, std::size_t first) const {
    std::vector<Part> parts = chosen_arguments(tokens, first);
    if (parts.empty()) {
        return;
    }
    std::vector<Token> made;
    made.reserve(tokens.size() + 3 * parts.size());
    std::vector<std::size_t> begins;
    begins.reserve(parts.size());
    for (const Part& part : parts) {
        begins.push_back(part.begin);
    }
    std::sort(begins.begin(), begins.end());
    auto begin = begins.begin();
    auto end = parts.begin();
    const auto put = [&](const Token& like, TokenKind kind, std::string_view text) {
        Token t = like;
        t.kind = kind;
        t.text = text;
        t.line_start = false;
        made.push_back(t);
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        for (; end != parts.end() && end->end == i; ++end) {
            put(tokens[i], TokenKind::punctuator, ")");
        }
        for (; begin != begins.end() && *begin == i; ++begin) {
            put(tokens[i], TokenKind::identifier, "fy_promoted");
            put(tokens[i], TokenKind::punctuator, "(");
        }
        made.push_back(tokens[i]);
    }
    tokens = std::move(made);
}

} // namespace ferry::translate
