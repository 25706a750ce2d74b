// SPDX-License-Identifier: Apache-2.0
#include "condition.hpp"
#include "host_form.hpp"
#include "operands.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <array>

// An integer division by zero, or of the least number by -1, is unspecified in OpenCL C and ends the process
// on many processors. FY_BY before a divisor checks it. a / b becomes a / FY_BY(place)->*b, because ->* binds
// more tightly than / and takes the same operand. a /= b becomes a /= FY_BY(place) = b.
namespace ferry::translate {
namespace {

// Vectors convert a scalar to their element's type: 256 may become 0 and 65535 may become -1.
constexpr std::uint64_t most_in_all_types = 127;

bool is_safe(const Token& divisor) {
    if (divisor.kind != TokenKind::number) {
        return false;
    }
    const Integer value = integer_value(divisor.text);
    return value.error != nullptr || (value.bits != 0 && value.bits <= most_in_all_types);
}

bool ends_expression(const Token& t) {
    return t.is(";") || t.is(",") || t.is(")") || t.is("}") || t.kind == TokenKind::end;
}

/// Whether members without an address may follow: packed ones and bit-fields. A false positive does no harm.
bool packs(const std::vector<Token>& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        const bool bits = t.is(":") && i != 0 && i + 2 < tokens.size() && tokens[i - 1].is_identifier() &&
                          tokens[i + 1].kind == TokenKind::number && is_one_of(tokens[i + 2], {";", ","});
        if (bits || t.is("packed") || t.is("__packed__") ||
            (t.kind == TokenKind::pragma && t.text.starts_with("pack"))) {
            return true;
        }
    }
    return false;
}

bool changes(const Token& t) {
    return is_one_of(t, {"/=", "%=", "<<=", ">>="});
}

/// Whether the object can be named twice: the text has no side effects and nothing inserted by the rewriter.
bool can_be_repeated(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
    static constexpr std::array<std::string_view, 7> parts{".", "->", "[", "]", "*", "+", "-"};
    return std::all_of(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                       tokens.begin() + static_cast<std::ptrdiff_t>(end), [](const Token& t) {
                           return t.kind == TokenKind::punctuator
                                      ? std::find(parts.begin(), parts.end(), t.text) != parts.end()
                                      : !t.text.starts_with("fy_");
                       });
}

} // namespace

// The prelude's functions take the assigned object by reference. Packed members and bit-fields do not bind to
// one, so a /= b becomes a = a / (b).
void Rewriter::packed_assignments(std::vector<Token>& tokens, std::size_t first) const {
    if (std::none_of(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end(), changes) ||
        !packs(syntax_.tokens())) {
        return;
    }
    for (std::size_t i = first; i < tokens.size(); ++i) {
        const Token t = tokens[i];
        if (!changes(t)) {
            continue;
        }
        const std::size_t begin = operand_begin(tokens, i, first);
        if (!can_be_repeated(tokens, begin, i)) {
            continue;
        }
        insert_raw(tokens, operand_end(tokens, i, true), {")"});
        std::vector<Token> again(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                 tokens.begin() + static_cast<std::ptrdiff_t>(i));
        again.front().line_start = false;
        again.push_back(t);
        again.back().text = t.text.substr(0, t.text.size() - 1);
        again.push_back(t);
        again.back().text = "(";
        tokens[i].text = "=";
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, again.begin(), again.end());
    }
}

void Rewriter::divisions(std::vector<Token>& tokens, std::size_t first) const {
    std::vector<Token> made;
    made.reserve(tokens.size() - first);
    for (std::size_t i = first; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        const bool assigns = t.is("/=") || t.is("%=");
        const bool divides = t.kind == TokenKind::punctuator && (assigns || t.is("/") || t.is("%"));
        made.push_back(t);
        if (!divides || i + 1 == tokens.size()) {
            continue;
        }
        const Token after = i + 2 < tokens.size() ? tokens[i + 2] : Token();
        if (is_safe(tokens[i + 1]) && (assigns ? ends_expression(after) : !after.is("["))) {
            continue;
        }
        const auto put = [&](TokenKind kind, std::string_view text) {
            Token by = t;
            by.kind = kind;
            by.line_start = false;
            by.text = text;
            made.push_back(by);
        };
        put(TokenKind::identifier, "FY_BY");
        put(TokenKind::punctuator, "(");
        put(TokenKind::string, files_.keep(place_text(files_, t.at)));
        put(TokenKind::punctuator, ")");
        put(TokenKind::punctuator, assigns ? "=" : "->*");
        tokens[i + 1].space_before = true;
    }
    tokens.resize(first);
    tokens.insert(tokens.end(), made.begin(), made.end());
}

} // namespace ferry::translate
