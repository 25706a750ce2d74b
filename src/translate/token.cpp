// SPDX-License-Identifier: Apache-2.0
#include "token.hpp"

namespace ferry::translate {
namespace {

bool wordlike(const Token& token) noexcept {
    return token.kind == TokenKind::identifier || token.kind == TokenKind::number;
}

bool quoted(const Token& token) noexcept {
    return token.kind == TokenKind::string || token.kind == TokenKind::character;
}

bool one_of(char c, std::string_view set) noexcept {
    return set.find(c) != std::string_view::npos;
}

/// Two punctuators, by the last character of the left and the first of the right one.
bool punctuators_join(char left, char right) noexcept {
    switch (left) {
    case '+':
    case '&':
    case '|':
    case '=':
    case '#':
    case '.':
        return right == left || right == '=' || (left == '.' && right == '*');
    case '-':
        return one_of(right, "-=>");
    case '*':
    case '!':
    case '^':
        return right == '=';
    case '/':
        return one_of(right, "=/*");
    case '<':
        return one_of(right, "<=:%");
    case '>':
        return one_of(right, ">=*");
    case '%':
        return one_of(right, "=:>");
    case ':':
        return one_of(right, ":>");
    default:
        return false;
    }
}

} // namespace

bool needs_space(const Token& left, const Token& right) {
    if (left.text.empty() || right.text.empty()) {
        return false;
    }
    const char last = left.text.back();
    const char first = right.text.front();
    if (wordlike(left)) {
        if (wordlike(right) || (left.is_identifier() && quoted(right))) {
            return true;
        }
        // 1' 2' would read as C++'s digit separators.
        return left.kind == TokenKind::number &&
               (first == '.' || first == '\'' || (one_of(last, "eEpP") && one_of(first, "+-")));
    }
    if (quoted(left)) {
        return wordlike(right); // A C++ suffix.
    }
    if (right.kind == TokenKind::number) {
        return last == '.';
    }
    if (last == '=' && first == '>') {
        return left.text == "<="; // C++20's <=>.
    }
    return left.kind == TokenKind::punctuator && right.kind == TokenKind::punctuator &&
           punctuators_join(last, first);
}

std::string print(std::span<const Token> tokens) {
    std::string text;
    const Token* previous = nullptr;
    for (const Token& token : tokens) {
        if (token.kind == TokenKind::end) {
            break;
        }
        const bool pragma = token.kind == TokenKind::pragma;
        if (previous != nullptr) {
            if (token.line_start || pragma || previous->kind == TokenKind::pragma) {
                text += '\n';
            } else if (token.space_before || needs_space(*previous, token)) {
                text += ' ';
            }
        }
        text += pragma ? "#pragma " : "";
        text += token.text;
        previous = &token;
    }
    if (previous != nullptr) {
        text += '\n';
    }
    return text;
}

} // namespace ferry::translate
