// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

// c ? a : b of two chars or shorts is an int in C but keeps its type in C++. The difference matters if a
// function is selected by the type, or the size is queried, so as an argument it becomes fy_promoted(c ? a :
// b). Operators promote their operands in both languages.
namespace ferry::translate {
namespace {

/// A function, or sizeof.
bool is_called(const Token& t) {
    static constexpr std::array<std::string_view, 7> words{"if",      "while",       "for",          "switch",
                                                           "aligned", "__aligned__", "__attribute__"};
    return t.is("sizeof") || (is_name(t) && std::find(words.begin(), words.end(), t.text) == words.end());
}

/// A part of the tokens, with a word inserted before it and a bracket after it.
struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The call arguments that are a choice as a whole, in parentheses or not, in order of their ends.
class ChosenArguments {
public:
    ChosenArguments(const std::vector<Token>& tokens, std::size_t first) : tokens_(tokens), first_(first) {}

    std::vector<Part> find() {
        for (std::size_t i = first_; i < tokens_.size(); ++i) {
            const Token& t = tokens_[i];
            if (opens_bracket(t)) {
                open_.push_back({kind_of(i), false, i + 1});
            } else if (open_.empty()) {
                continue;
            } else if (closes_bracket(t)) {
                end_value(i);
                open_.pop_back();
            } else if (t.is(",")) {
                if (open_.back().kind == Kind::call) {
                    end_value(i);
                }
                open_.back().choice = false;
                open_.back().begin = i + 1;
            } else if (t.is("?")) {
                open_.back().choice = true;
            } else if (is_assignment(t) || t.is(";")) {
                open_.back().kind = Kind::other; // Not an argument, or one with its own type.
            }
        }
        return std::move(found_);
    }

private:
    enum class Kind {
        other,
        call,
        group ///< Parentheses at the beginning of an argument: (a, b) has the value of b.
    };
    struct Open {
        Kind kind = Kind::other;
        bool choice = false;
        std::size_t begin = 0; ///< Of the argument.
    };

    Kind kind_of(std::size_t i) const {
        if (!tokens_[i].is("(")) {
            return Kind::other;
        }
        if (i > first_ && is_called(tokens_[i - 1])) {
            return Kind::call;
        }
        const bool argument = !open_.empty() && open_.back().kind != Kind::other && open_.back().begin == i;
        return argument ? Kind::group : Kind::other;
    }

    void end_value(std::size_t end) {
        const Open& last = open_.back();
        const bool whole =
            last.kind == Kind::call || (last.kind == Kind::group && end + 1 < tokens_.size() &&
                                        (closes_bracket(tokens_[end + 1]) || tokens_[end + 1].is(",")));
        if (whole && last.choice) {
            found_.push_back({last.begin, end});
        }
    }

    const std::vector<Token>& tokens_;
    std::size_t first_;
    std::vector<Open> open_;
    std::vector<Part> found_;
};

} // namespace

void Rewriter::promotions(std::vector<Token>& tokens, std::size_t first) const {
    const std::vector<Part> parts = ChosenArguments(tokens, first).find();
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
