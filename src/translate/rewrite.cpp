// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include "local_memory.hpp"
#include "operands.hpp"
#include "prelude.hpp"
#include "swizzles.hpp"

#include <algorithm>
#include <array>

namespace ferry::translate {
namespace {

bool is_increment(const Token& token) {
    return token.is("++") || token.is("--");
}

bool is_swizzle(const Token& token) {
    return token.is_identifier() && (is_half_name(token.text) || !components_of(token.text).empty());
}

} // namespace

void Output::put(std::string text) {
    Token token;
    token.kind = TokenKind::identifier;
    token.text = files_.keep(std::move(text));
    token.space_before = true;
    token.at = tokens_.empty() || at_.line != 0 ? at_ : tokens_.back().at;
    tokens_.push_back(token);
}

void Output::line(std::string text) {
    put(std::move(text));
    tokens_.back().line_start = true;
}

void Rewriter::rewrite(Range range, Output& out) const {
    rewrite(range, out, {});
}

void Rewriter::rewrite(Range range, Output& out, const Replacements& replacements) const {
    const std::size_t first = out.tokens().size();
    tokens(range, first, out, &replacements);
    promotions(out.tokens(), first);
    choices(out.tokens(), first);
    packed_assignments(out.tokens(), first);
    shifts(out.tokens(), first);
    divisions(out.tokens(), first);
}

void Rewriter::tokens(Range range, std::size_t first, Output& out, const Replacements* replacements) const {
    for (std::size_t i = range.begin; i < range.end;) {
        if (replacements != nullptr && !replacements->empty()) {
            if (const auto found = replacements->find(i); found != replacements->end()) {
                out.at(syntax_[i].at);
                out.put(found->second.text);
                i = found->second.end;
                continue;
            }
        }
        i = token(i, range, first, out, replacements);
    }
}

std::string Rewriter::function_name(std::string_view name) const {
    const FunctionSyntax* const f = syntax_.function(name);
    return f != nullptr && !f->kernel && prelude_provides(Dialect::host, name) ? "fy_u_" + std::string(name)
                                                                               : std::string(name);
}

bool Rewriter::declares_local_object(std::size_t i) const {
    for (std::size_t n = i + 1; n < syntax_.tokens().size(); ++n) {
        const Token& t = syntax_[n];
        if (t.is(";") || t.is("=") || t.is("{")) {
            return true;
        }
        if (t.is(")") && syntax_[i - 1].is("*")) {
            return true; // Of (* __local p), the pointer.
        }
        if (t.is("*") || t.is(")") || t.kind == TokenKind::end) {
            return false;
        }
        if (t.is("[")) {
            n = syntax_.partner(n);
        } else if (t.is("(")) { // A pointer to an array, or an attribute.
            if (!syntax_[n - 1].is("__attribute__")) {
                return false;
            }
            n = syntax_.partner(n);
        }
    }
    return false;
}

std::size_t Rewriter::token(std::size_t i, const Range& range, std::size_t first, Output& out,
                            const Replacements* replacements) const {
    const Token& t = syntax_[i];
    out.at(t.at);
    if (t.kind == TokenKind::pragma) {
        pragma(t, out);
        return i + 1;
    }
    if (t.is("(")) {
        const std::size_t opened = out.tokens().size();
        const bool declares = reads_as_declaration(i);
        if (literal(i, out)) {
            if (declares) {
                const std::size_t close = syntax_.partner(i);
                insert_raw(out.tokens(), opened, {"("});
                tokens({i, close + 1}, first, out, replacements);
                insert_raw(out.tokens(), out.tokens().size(), {")"});
                return close + 1;
            }
            return i;
        }
    }
    if ((t.is(".") || t.is("->")) && i + 1 < range.end && member(i, first, out)) {
        return i;
    }
    if (t.is("{") && syntax_.partner(i) < range.end && initialiser(i, first, out, replacements)) {
        return i;
    }
    if (t.is("sizeof") && is_truth(i + 1)) {
        const std::size_t close = syntax_.partner(i + 1);
        out.push(t);
        insert_raw(out.tokens(), out.tokens().size(), {"(", "+", "("});
        tokens({i + 2, close}, first, out, replacements);
        insert_raw(out.tokens(), out.tokens().size(), {")", ")"});
        return close + 1;
    }
    if (t.is_identifier()) {
        return identifier(i, out);
    }
    out.push(t);
    return i + 1;
}

std::size_t Rewriter::identifier(std::size_t i, Output& out) const {
    Token t = syntax_[i];
    const bool after_member = i > 0 && (syntax_[i - 1].is(".") || syntax_[i - 1].is("->"));
    if (t.is("__attribute__") && syntax_[i + 1].is("(")) {
        const std::size_t close = syntax_.partner(i + 1);
        bool layout = false;
        for (std::size_t n = i + 2; n < close; ++n) {
            layout = layout || syntax_[n].is("aligned") || syntax_[n].is("packed") ||
                     syntax_[n].is("__aligned__") || syntax_[n].is("__packed__");
        }
        for (std::size_t n = i; layout && n <= close; ++n) {
            out.push(syntax_[n]);
        }
        return close + 1;
    }
    if (t.is("__global") || t.is("__private") || t.is("__kernel")) {
        return i + 1;
    }
    if (t.is("__local")) {
        if (declares_local_object(i)) {
            diagnostics_.error(t.at, "a __local object is declared in the outermost block of a kernel");
        }
        return i + 1;
    }
    if (t.is("__constant")) {
        const bool there = (i > 0 && syntax_[i - 1].is("const")) || syntax_[i + 1].is("const");
        if (!there) {
            t.text = "const";
            out.push(t);
        }
        return i + 1;
    }
    if (t.is("volatile") && syntax_.has_vectors() && !qualifies_scalar(i)) {
        out.put("FY_VOLATILE");
    }
    if (after_member || !syntax_[i + 1].is("(")) {
        if (!after_member && hands_on(t.text) && is_called_as_value(i)) {
            diagnostics_.error(t.at, "'" + std::string(t.text) +
                                         "' is called through parentheses around its name, and would not be "
                                         "told which work-item calls; write its name right before the (");
        }
        out.push(t);
        return i + 1;
    }
    const bool hand_on = hands_on(t.text);
    const FunctionSyntax* const f = syntax_.function(t.text);
    if (f != nullptr) {
        t.text = files_.keep(function_name(t.text));
    } else if (t.is("printf")) {
        return print(i, out);
    }
    if (f == nullptr && t.is("async_work_group_strided_copy")) {
        t.text = strided_copy(i);
    }
    out.push(t);
    if (hand_on) {
        out.push(syntax_[i + 1]);
        out.put("fy_");
        if (!syntax_[i + 2].is(")")) { // A separate token, so that the search for arguments sees it.
            insert_raw(out.tokens(), out.tokens().size(), {","});
        }
        return i + 2;
    }
    return i + 1;
}

// Whether a call of it passes the item_parameter.
bool Rewriter::hands_on(std::string_view name) const {
    const FunctionSyntax* const f = syntax_.function(name);
    return f != nullptr ? f->uses_items : is_work_item_function(name);
}

// (f)(x), (a ? f : g)(x): the name's value is called, so a variable with that name cannot be used.
bool Rewriter::is_called_as_value(std::size_t i) const {
    for (std::size_t depth = 0, n = i; n > 0;) {
        const Token& t = syntax_[--n];
        if (t.is("{") || t.is("}") || t.is(";")) {
            return false;
        }
        if (t.is(")") || t.is("]")) {
            ++depth;
        } else if (depth != 0 && (t.is("(") || t.is("["))) {
            --depth;
        } else if (t.is("[")) {
            return false;
        } else if (t.is("(")) {
            const bool operand = n > 0 && is_name(syntax_[n - 1]);
            if (operand || syntax_[syntax_.partner(n) + 1].is("(")) {
                return !operand;
            }
        }
    }
    return false;
}

// volatile int, int volatile, but not volatile float4.
bool Rewriter::qualifies_scalar(std::size_t i) const {
    std::size_t after = i + 1;
    while (is_qualifier(syntax_[after].text)) {
        ++after;
    }
    std::size_t before = i;
    while (before > 0 && is_qualifier(syntax_[before - 1].text)) {
        --before;
    }
    return is_scalar_type(syntax_.resolved(syntax_[after].text)) ||
           (before > 0 && is_scalar_type(syntax_.resolved(syntax_[before - 1].text)));
}

// The stride belongs to the side in global memory.
std::string_view Rewriter::strided_copy(std::size_t i) const {
    const std::size_t close = syntax_.partner(i + 1);
    std::size_t first = i + 2;
    for (std::size_t argument = 0; argument < 2; ++argument) {
        std::size_t end = first;
        while (end < close && !syntax_[end].is(",")) {
            end = syntax_[end].is("(") || syntax_[end].is("[") ? syntax_.partner(end) + 1 : end + 1;
        }
        if (is_in_local_memory(syntax_, {first, end})) {
            return argument == 0 ? "fy_gather_copy" : "fy_scatter_copy";
        }
        first = std::min(end + 1, close);
    }
    diagnostics_.error(syntax_[i].at,
                       "the host cannot see which side of async_work_group_strided_copy is in local memory: "
                       "name a __local variable of this function in its first or second argument, or cast "
                       "one to a __local pointer");
    return syntax_[i].text;
}

// A comparison in parentheses: an int in C, a bool in C++, which sizeof shows.
bool Rewriter::is_truth(std::size_t open) const {
    static constexpr std::array<std::string_view, 9> operators{
        "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"};
    bool found = false;
    while (syntax_[open].is("(") && syntax_[open + 1].is("(") &&
           syntax_.partner(open + 1) + 1 == syntax_.partner(open)) {
        ++open;
    }
    if (syntax_[open].is("(")) {
        for (std::size_t i = open + 1; i < syntax_.partner(open); ++i) {
            const bool bracket = syntax_[i].is("(") || syntax_[i].is("[") || syntax_[i].is("{");
            found =
                found || (syntax_[i].kind == TokenKind::punctuator &&
                          std::find(operators.begin(), operators.end(), syntax_[i].text) != operators.end());
            i = bracket ? syntax_.partner(i) : i;
        }
    }
    return found;
}

// (int)x and similar casts, but not (int).
bool Rewriter::is_cast(std::size_t open) const {
    const Token& word = syntax_[open + 1];
    const bool type = word.is_identifier() && (syntax_.is_type(word.text) || is_qualifier(word.text) ||
                                               word.is("struct") || word.is("union") || word.is("enum"));
    return type && !syntax_[open + 2].is("(");
}

// (float4)(x), rewritten, would declare an x at the beginning of a statement.
bool Rewriter::reads_as_declaration(std::size_t open) const {
    if (open < 2) {
        return false;
    }
    const Token& before = syntax_[open - 1];
    const bool head = before.is("(") && syntax_[open - 2].is("for");
    return syntax_[syntax_.partner(open) + 1].is("(") &&
           (head || before.is(";") || before.is("{") || before.is("}") || before.is(":") || before.is(")") ||
            before.is("else") || before.is("do"));
}

// (float4)(a, b, c, d) is a constructor call in C++, and (struct S){a, b} is S{a, b}.
bool Rewriter::literal(std::size_t& i, Output& out) const {
    const std::size_t close = syntax_.partner(i);
    const Token& next = syntax_[close + 1];
    std::size_t name = i + 1;
    while (name < close && (syntax_[name].is("const") || syntax_[name].is("__private"))) {
        ++name;
    }
    if (name < close && (syntax_[name].is("struct") || syntax_[name].is("union"))) {
        ++name;
    }
    if (name + 1 != close || !syntax_[name].is_identifier() || (!next.is("(") && !next.is("{"))) {
        return false;
    }
    if (i > 0 &&
        (syntax_[i - 1].is_identifier() && !syntax_[i - 1].is("return") && !syntax_[i - 1].is("else"))) {
        return false; // A call, sizeof, if.
    }
    if (hands_on(syntax_[name].text)) {
        return false; // identifier() rejects it.
    }
    if (next.is("(") && is_cast(close + 1)) {
        return false;
    }
    if (next.is("(") && !syntax_.is_vector_type(syntax_[name].text)) {
        std::size_t commas = 0;
        for (std::size_t n = close + 2; n < syntax_.partner(close + 1); ++n) {
            commas += syntax_[n].is(",") ? 1 : 0;
            if (syntax_[n].is("(") || syntax_[n].is("[") || syntax_[n].is("{")) {
                n = syntax_.partner(n);
            }
        }
        if (commas == 0 || syntax_[name].is("void")) {
            return false;
        }
        if (syntax_.is_type(syntax_[name].text)) {
            diagnostics_.error(next.at, "the comma operator in a cast to '" +
                                            std::string(syntax_[name].text) +
                                            "', which is no vector type; write one value");
        }
    }
    Token type = syntax_[name];
    type.space_before = true;
    type.line_start = syntax_[i].line_start;
    out.push(type);
    i = close + 1;
    return true;
}

bool Rewriter::member(std::size_t& i, std::size_t first, Output& out) const {
    const Token& name = syntax_[i + 1];
    if (!name.is_identifier()) {
        return false;
    }
    if (!syntax_.is_member(name.text)) {
        return swizzle(i, out);
    }
    // A component of a possible half (hi, lo) has no separate name: (v.hi).x if structs have both members.
    const bool of_half = is_component(name.text) && is_behind_ambiguous(i) && is_written_member(i);
    return syntax_.has_vectors() && (is_ambiguous_member(name.text) || of_half) && ambiguous(i, first, out);
}

// The operand before the dot is a member that both structs and vectors may have.
bool Rewriter::is_behind_ambiguous(std::size_t dot) const {
    std::size_t last = dot == 0 ? 0 : dot - 1;
    while (last > 1 && syntax_[last].is(")")) {
        --last;
    }
    return last > 1 && is_ambiguous_member(syntax_[last].text) && syntax_.is_member(syntax_[last].text) &&
           (syntax_[last - 1].is(".") || syntax_[last - 1].is("->"));
}

// Whether the member after the dot, or a part of it, is written.
bool Rewriter::is_written_member(std::size_t dot) const {
    std::size_t behind = dot + 2;
    std::size_t from = postfix_begin(syntax_.tokens(), dot, 0);
    leave_parentheses(from, behind);
    while (syntax_[behind].is(".") && syntax_[behind + 1].is_identifier()) {
        behind += 2;
        leave_parentheses(from, behind);
    }
    return is_written(from, behind);
}

// Whether the postfix expression from `begin` up to `after` is written, by a following operator or by one
// before it; parentheses around it are ignored.
bool Rewriter::is_written(std::size_t begin, std::size_t after) const {
    while (begin > 0 && syntax_[begin - 1].is("(") && syntax_.partner(begin - 1) == after &&
           !(begin > 1 && is_name(syntax_[begin - 2]))) {
        --begin;
        ++after;
    }
    return is_writing(syntax_[after]) || (begin > 0 && is_increment(syntax_[begin - 1]));
}

bool Rewriter::ambiguous(std::size_t& i, std::size_t first, Output& out) const {
    std::vector<Token>& tokens = out.tokens();
    const std::size_t begin = postfix_begin(tokens, tokens.size(), first);
    if (begin == tokens.size()) {
        return false; // A designator.
    }
    const bool arrow = syntax_[i].is("->");
    const std::string function =
        (is_written_member(i) ? "fy_mr_" : "fy_m_") + std::string(syntax_[i + 1].text);
    if (arrow) {
        insert_raw(tokens, begin, {files_.keep(function), "(", "*", "("});
        insert_raw(tokens, tokens.size(), {")", ")"});
    } else {
        insert_raw(tokens, begin, {files_.keep(function), "("});
        insert_raw(tokens, tokens.size(), {")"});
    }
    i += 2;
    return true;
}

// If the tokens from `begin` up to `end` are in parentheses that are followed by a swizzle, (v.hi).x, extends
// them by these parentheses. Returns their number.
std::size_t Rewriter::leave_parentheses(std::size_t& begin, std::size_t& end) const {
    std::size_t count = 0;
    while (count < begin && syntax_[end + count].is(")") && encloses(begin - count - 1, end + count)) {
        ++count;
    }
    if (!syntax_[end + count].is(".") || !is_swizzle(syntax_[end + count + 1])) {
        return 0;
    }
    begin -= count;
    end += count;
    return count;
}

// Parentheses around an operand, not of a call or cast.
bool Rewriter::encloses(std::size_t open, std::size_t close) const {
    if (open == 0 || !syntax_[open].is("(") || syntax_.partner(open) != close || is_name(syntax_[open - 1])) {
        return false;
    }
    if (!syntax_[open - 1].is(")")) {
        return true;
    }
    const Token& head = syntax_[opening_of(syntax_.tokens(), open - 1, 0) - 1];
    return head.is("if") || head.is("for") || head.is("while");
}

// v.xy.y, v.lo.even and so on. A name after a swizzle is a swizzle too, whatever members structs have.
bool Rewriter::swizzle(std::size_t& i, Output& out) const {
    struct Link {
        std::string_view half;
        std::vector<int> components;
    };
    std::vector<Link> links;
    const std::size_t dot = i;
    std::size_t begin = postfix_begin(syntax_.tokens(), dot, 0);
    std::size_t parentheses = 0; // Around an operand with further swizzles: they close after all of it.
    while ((syntax_[i].is(".") || i == dot) && syntax_[i + 1].is_identifier()) {
        const std::string_view name = syntax_[i + 1].text;
        Link link{is_half_name(name) ? name : std::string_view(), components_of(name)};
        if (link.half.empty() && link.components.empty()) {
            break;
        }
        i += 2;
        if (!links.empty() && link.half.empty() && links.back().half.empty()) {
            std::vector<int>& outer = links.back().components;
            const bool inside = std::all_of(link.components.begin(), link.components.end(), [&](int c) {
                return static_cast<std::size_t>(c) < outer.size();
            });
            if (inside) {
                for (int& c : link.components) {
                    c = outer[static_cast<std::size_t>(c)];
                }
                links.pop_back();
            }
        }
        links.push_back(std::move(link));
        parentheses += leave_parentheses(begin, i);
    }
    if (links.empty()) {
        return false;
    }
    const bool written = is_written(begin, i);
    const bool by_call = written && (links.size() > 1 || is_behind_ambiguous(dot));
    for (const Link& link : links) {
        if (&link == &links.front()) {
            out.push(syntax_[dot]);
        } else {
            insert_raw(out.tokens(), out.tokens().size(), {"."});
        }
        if (!link.half.empty()) {
            out.put((written ? "fy_ref_" : "fy_") + std::string(link.half) + "()");
        } else if (link.components.size() > 1) {
            out.put(swizzle_call(link.components, written));
        } else {
            out.put(by_call ? "fy_cell<" + std::to_string(link.components[0]) + ">()"
                            : component_member(link.components[0]));
        }
    }
    for (; parentheses != 0; --parentheses) {
        insert_raw(out.tokens(), out.tokens().size(), {")"});
    }
    return true;
}

void Rewriter::pragma(const Token& token, Output& out) const {
    constexpr std::string_view unroll = "unroll";
    if (!token.text.starts_with(unroll)) {
        out.push(token); // pack, which every compiler reads alike.
        return;
    }
    std::string count(token.text.substr(unroll.size()));
    std::replace(count.begin(), count.end(), '(', ' ');
    std::replace(count.begin(), count.end(), ')', ' ');
    const bool bare = count.find_first_not_of(' ') == std::string::npos;
    Token t = token;
    t.line_start = true;
    t.text = files_.keep("GCC unroll " + (bare ? std::string("16") : count));
    out.push(t);
}

} // namespace ferry::translate
