// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

// c ? a : b with a vector c selects each component. If c may be a vector, it becomes fy_choose(c, [&] {
// return a; }, [&] { return b; }), which is equal to ?: for all other types.
namespace ferry::translate {
namespace {

struct Choice {
    std::size_t begin = 0; ///< Of the condition.
    std::size_t question = 0;
    std::size_t colon = 0;
    std::size_t end = 0;
};

bool ends_condition(const Token& t) {
    static constexpr std::array<std::string_view, 3> words{"return", "case", "else"};
    if (t.kind == TokenKind::pragma || is_assignment(t)) {
        return true;
    }
    if (t.kind == TokenKind::identifier) {
        return std::find(words.begin(), words.end(), t.text) != words.end();
    }
    return opens_bracket(t) || t.is("}") || t.is(",") || t.is(";") || t.is("?") || t.is(":");
}

std::size_t condition_begin(const std::vector<Token>& tokens, std::size_t question, std::size_t first) {
    std::size_t i = question;
    while (i > first && !ends_condition(tokens[i - 1])) {
        i = closes_bracket(tokens[i - 1]) ? opening_of(tokens, i - 1, first) : i - 1;
    }
    return i;
}

// Finds the colon and the end. Returns false if there is none.
bool find_end(const std::vector<Token>& tokens, Choice& choice) {
    std::size_t depth = 0;
    std::size_t nested = 0;
    choice.colon = 0;
    for (std::size_t i = choice.question + 1; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (opens_bracket(t)) {
            ++depth;
        } else if (closes_bracket(t)) {
            if (depth == 0) {
                choice.end = i;
                return choice.colon != 0;
            }
            --depth;
        } else if (depth == 0 && t.is("?")) {
            ++nested;
        } else if (depth == 0 && t.is(":")) {
            if (nested == 0 && choice.colon != 0) {
                choice.end = i;
                return true;
            }
            choice.colon = nested == 0 ? i : choice.colon;
            nested -= nested == 0 ? 0 : 1;
        } else if (depth == 0 && (t.is(";") || (choice.colon != 0 && t.is(",")))) {
            choice.end = i;
            return choice.colon != 0;
        }
    }
    choice.end = tokens.size();
    return choice.colon != 0;
}

bool gives_scalar(std::string_view function) {
    static const std::unordered_set<std::string_view> functions{
        "any", "all", "dot", "length", "distance", "fast_length", "fast_distance", "sizeof", "vec_step"};
    return functions.count(function) != 0;
}

// A single component, or a function with a scalar result, is not a vector.
bool may_be_vector(const Syntax& syntax, const std::vector<Token>& tokens, std::size_t begin,
                   std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const Token& t = tokens[i];
        if (t.kind != TokenKind::identifier) {
            continue;
        }
        if (gives_scalar(t.text) && i + 1 < end && tokens[i + 1].is("(")) {
            std::size_t depth = 0;
            do {
                ++i;
                depth += opens_bracket(tokens[i]) ? 1 : 0;
                depth -= closes_bracket(tokens[i]) ? 1 : 0;
            } while (depth != 0 && i + 1 < end);
            continue;
        }
        const bool swizzle = t.text.starts_with("fy_get<") || t.text.starts_with("fy_m_");
        if (!swizzle && !syntax.may_be_vector(t.text)) {
            continue;
        }
        std::size_t after = i + 1;
        bool component = false;
        while (after + 1 < end &&
               (tokens[after].is(".") || tokens[after].is("->") || tokens[after].is("["))) {
            if (tokens[after].is("[")) {
                std::size_t depth = 0;
                do {
                    depth += opens_bracket(tokens[after]) ? 1 : 0;
                    depth -= closes_bracket(tokens[after]) ? 1 : 0;
                    ++after;
                } while (depth != 0 && after < end);
                continue;
            }
            const std::string_view member = tokens[after + 1].text;
            component = !member.starts_with("fy_") && !syntax.may_be_vector(member);
            after += 2;
        }
        if (!component) {
            return true;
        }
    }
    return false;
}

} // namespace

void Rewriter::choices(std::vector<Token>& tokens, std::size_t first) const {
    if (!syntax_.has_vectors()) {
        return;
    }
    // From the back, so that choices after the question mark of another one are processed first.
    for (std::size_t i = tokens.size(); i > first; --i) {
        if (!tokens[i - 1].is("?")) {
            continue;
        }
        Choice c;
        c.question = i - 1;
        c.begin = condition_begin(tokens, c.question, first);
        if (!may_be_vector(syntax_, tokens, c.begin, c.question) || !find_end(tokens, c)) {
            continue;
        }
        insert_raw(tokens, c.end, {";", "}", ")"});
        tokens[c.colon].text = ",";
        insert_raw(tokens, c.colon, {";", "}"});
        insert_raw(tokens, c.colon + 3, {"[&]", "{", "return"});
        tokens[c.question].text = ",";
        insert_raw(tokens, c.question + 1, {"[&]", "{", "return"});
        insert_raw(tokens, c.begin, {"fy_choose", "("});
    }
}

} // namespace ferry::translate
