// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <charconv>

// OpenCL C takes a shift count modulo the width; in C++ it is undefined and processors differ. A count that
// is not plainly small becomes a call of the prelude.
namespace ferry::translate {
namespace {

bool is_shift_assignment(const Token& t) {
    return t.kind == TokenKind::punctuator && (t.text == "<<=" || t.text == ">>=");
}

bool is_small(const Token& t) {
    unsigned int value = 32;
    const std::string_view text = t.text.substr(0, t.text.find_first_of("uUlL"));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return t.kind == TokenKind::number && error == std::errc() && end == text.data() + text.size() &&
           value < 32 && (text.size() == 1 || text[0] != '0');
}

} // namespace

void Rewriter::shifts(std::vector<Token>& tokens, std::size_t first) const {
    struct Call {
        std::size_t begin, op, end;
        bool assignment;
    };
    std::vector<Call> calls;
    for (std::size_t i = first; i < tokens.size(); ++i) {
        const bool assignment = is_shift_assignment(tokens[i]);
        if (!assignment && !is_shift(tokens[i])) {
            continue;
        }
        const std::size_t end = operand_end(tokens, i, assignment);
        if (end == i + 2 && is_small(tokens[i + 1])) {
            continue;
        }
        calls.push_back({operand_begin(tokens, i, first), i, end, assignment});
    }
    if (calls.empty()) {
        return;
    }
    std::vector<Token> out;
    out.reserve(tokens.size() - first + 4 * calls.size());
    const auto raw = [&](const char* text, const Token& near) {
        Token t = near;
        t.kind = TokenKind::identifier;
        t.text = text;
        t.space_before = true;
        out.push_back(t);
    };
    std::vector<std::uint32_t> ends(tokens.size() + 1 - first);
    for (const Call& call : calls) {
        ++ends[call.end - first];
    }
    // If several calls begin at one place, the later one is the outer one.
    std::vector<Call> by_begin = calls;
    std::sort(by_begin.begin(), by_begin.end(), [](const Call& a, const Call& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.op > b.op;
    });
    auto begins = by_begin.begin();
    auto ops = calls.begin();
    for (std::size_t i = first; i <= tokens.size(); ++i) {
        for (std::uint32_t n = ends[i - first]; n != 0; --n) {
            Token close = tokens[i - 1];
            close.kind = TokenKind::punctuator;
            close.text = ")";
            close.line_start = false;
            out.push_back(close);
        }
        if (i == tokens.size()) {
            break;
        }
        for (; begins != by_begin.end() && begins->begin == i; ++begins) {
            const bool left = tokens[begins->op].text[0] == '<';
            raw(begins->assignment ? left ? "fy_shl_by" : "fy_shr_by"
                : left             ? "fy_shl"
                                   : "fy_shr",
                tokens[i]);
            out.back().line_start = tokens[i].line_start;
            tokens[i].line_start = false;
            Token open = tokens[i];
            open.kind = TokenKind::punctuator;
            open.text = "(";
            open.line_start = false;
            out.push_back(open);
        }
        const bool replaced = ops != calls.end() && ops->op == i;
        ops += replaced ? 1 : 0;
        out.push_back(tokens[i]);
        if (replaced) {
            out.back().kind = TokenKind::punctuator;
            out.back().text = ",";
        }
    }
    tokens.resize(first); // The tokens before are unchanged, because they may be most of a large file.
    tokens.insert(tokens.end(), out.begin(), out.end());
}

} // namespace ferry::translate
