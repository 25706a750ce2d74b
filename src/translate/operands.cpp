// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"

#include <algorithm>
#include <array>

namespace ferry::translate {
namespace {

bool is_bracket(const Token& token, std::string_view brackets) noexcept {
    return token.kind == TokenKind::punctuator && token.text.size() == 1 &&
           brackets.find(token.text[0]) != std::string_view::npos;
}

bool one_of(std::string_view text, const char* const* begin, const char* const* end) {
    return std::find(begin, end, text) != end;
}

// Operators that bind less tightly than a shift, and tokens that end an expression.
bool ends_operand(const std::vector<Token>& tokens, std::size_t i) {
    static constexpr std::array words{"<",   ">", "<=", ">=", "==", "!=", "^",  "|",  "&&", "||", "?",
                                      ":",   "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=",
                                      ">>=", ",", ";",  "(",  ")",  "[",  "]",  "{",  "}"};
    static constexpr std::array keywords{"return", "case", "else", "do", "goto", "const"};
    const Token& t = tokens[i];
    if (t.kind == TokenKind::pragma || t.kind == TokenKind::end) {
        return true;
    }
    if (t.kind == TokenKind::identifier) {
        return one_of(t.text, keywords.begin(), keywords.end());
    }
    if (t.kind != TokenKind::punctuator) {
        return false;
    }
    if (t.text == "&" && i > 0) { // Between two operands it is the bitwise and.
        const Token& before = tokens[i - 1];
        return before.kind == TokenKind::identifier || before.kind == TokenKind::number ||
               before.text == ")" || before.text == "]" || before.kind == TokenKind::character;
    }
    return one_of(t.text, words.begin(), words.end());
}

} // namespace

bool is_one_of(const Token& token, std::initializer_list<std::string_view> words) noexcept {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return token.is(w); });
}

bool opens_bracket(const Token& token) noexcept {
    return is_bracket(token, "([{");
}

bool closes_bracket(const Token& token) noexcept {
    return is_bracket(token, ")]}");
}

bool is_name(const Token& token) noexcept {
    static constexpr std::array<std::string_view, 6> words{"return", "case", "else", "do", "sizeof", "goto"};
    return token.kind == TokenKind::identifier &&
           std::find(words.begin(), words.end(), token.text) == words.end();
}

bool is_assignment(const Token& token) noexcept {
    static constexpr std::array<std::string_view, 11> operators{
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    return token.kind == TokenKind::punctuator &&
           std::find(operators.begin(), operators.end(), token.text) != operators.end();
}

bool is_writing(const Token& token) noexcept {
    return is_assignment(token) || token.is("++") || token.is("--");
}

std::size_t opening_of(const std::vector<Token>& tokens, std::size_t close, std::size_t first) noexcept {
    std::size_t i = close + 1;
    std::size_t depth = 0;
    do {
        --i;
        depth += closes_bracket(tokens[i]) ? 1 : 0;
        depth -= opens_bracket(tokens[i]) ? 1 : 0;
    } while (depth != 0 && i > first);
    return i;
}

std::size_t postfix_begin(const std::vector<Token>& tokens, std::size_t end, std::size_t first) noexcept {
    std::size_t i = end;
    while (i > first) {
        const Token& t = tokens[i - 1];
        if (closes_bracket(t)) {
            const bool call = t.is(")") || t.is("}");
            i = opening_of(tokens, i - 1, first);
            const bool continues =
                i > first && (is_name(tokens[i - 1]) || (!call && closes_bracket(tokens[i - 1])));
            if (continues) {
                continue;
            }
        } else if (t.is("++") || t.is("--")) {
            --i;
            continue;
        } else if (t.kind == TokenKind::identifier || t.kind == TokenKind::number ||
                   t.kind == TokenKind::string) {
            --i;
        } else {
            return i;
        }
        if (i > first && (tokens[i - 1].is(".") || tokens[i - 1].is("->"))) {
            --i;
            continue;
        }
        return i;
    }
    return i;
}

void insert_raw(std::vector<Token>& tokens, std::size_t at, std::initializer_list<std::string_view> texts) {
    std::vector<Token> made;
    for (const std::string_view text : texts) {
        Token t = at < tokens.size() ? tokens[at] : tokens[at - 1];
        t.text = text;
        const bool word = text.size() > 1;
        t.kind = word ? TokenKind::identifier : TokenKind::punctuator;
        t.space_before = t.space_before || word;
        t.line_start = t.line_start && made.empty() && at < tokens.size();
        made.push_back(t);
    }
    if (at < tokens.size()) {
        tokens[at].line_start = false;
    }
    tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), made.begin(), made.end());
}

std::size_t operand_begin(const std::vector<Token>& tokens, std::size_t op, std::size_t first) {
    std::size_t i = op;
    while (i > first) {
        const Token& t = tokens[i - 1];
        if (closes_bracket(t)) {
            const std::size_t open = opening_of(tokens, i - 1, first);
            if (open > first && is_one_of(tokens[open - 1], {"if", "while", "for", "switch"})) {
                break; // The following statement begins with the operand.
            }
            i = open;
            continue;
        }
        if (ends_operand(tokens, i - 1)) {
            break;
        }
        --i;
    }
    return i;
}

std::size_t operand_end(const std::vector<Token>& tokens, std::size_t op, bool assignment) {
    std::size_t i = op + 1;
    std::size_t depth = 0;
    for (; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (opens_bracket(t)) {
            ++depth;
        } else if (closes_bracket(t)) {
            if (depth == 0) {
                break;
            }
            --depth;
        } else if (depth == 0 &&
                   (assignment ? t.is(",") || t.is(";") : is_shift(t) || ends_operand(tokens, i))) {
            break;
        }
    }
    return i;
}

bool is_shift(const Token& token) noexcept {
    return token.kind == TokenKind::punctuator && (token.text == "<<" || token.text == ">>");
}

} // namespace ferry::translate
