// SPDX-License-Identifier: Apache-2.0
#include "host_heads.hpp"

#include "operands.hpp"
#include "statements.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ferry::translate {
namespace {

class HeadClearer {
public:
    HeadClearer(const Syntax& syntax, Files& files) : syntax_(syntax), files_(files) {}

    std::optional<std::vector<Token>> run() {
        std::size_t next = 0;
        for (const FunctionSyntax& f : syntax_.functions()) {
            if (f.defined && f.has_barrier) {
                copy({next, f.body.begin});
                list(f.body);
                next = f.body.end;
            }
        }
        copy({next, syntax_.tokens().size()});
        return changed_ ? std::optional(std::move(out_)) : std::nullopt;
    }

private:
    static constexpr std::size_t most_nested = 200; // Statements; read_statements() rejects more.

    void list(Range range) {
        for (std::size_t i = range.begin; i < range.end;) {
            i = statement(i, range.end, true);
        }
    }

    // Writes the statement and returns its end. `alone`: it is in a block, not after a head or a label.
    std::size_t statement(std::size_t i, std::size_t end, bool alone) {
        if (++depth_ > most_nested) {
            copy({i, end});
            i = end;
        } else {
            i = any(i, end, alone);
        }
        --depth_;
        return i;
    }

    std::size_t any(std::size_t i, std::size_t end, bool alone) {
        std::size_t first = i; // After pragmas, which a loop with barriers ignores.
        while (first < end && syntax_[first].kind == TokenKind::pragma) {
            ++first;
        }
        if (first >= end) {
            return copy({i, end});
        }
        const Token& t = syntax_[first];
        const bool headed = is_one_of(t, {"if", "switch", "while", "for"}) && syntax_[first + 1].is("(");
        const Range head{first + 2, headed ? syntax_.partner(first + 1) : first + 2};
        if (t.is("while") && has_barrier(head)) {
            return while_loop(first, head, end);
        }
        if (t.is("for") && has_barrier(head) && split(head, ";").size() == 3) {
            return for_loop(first, head, end);
        }
        if (t.is("do") && writing_) {
            if (const Range condition = condition_of(first, end); has_barrier(condition)) {
                return do_loop(first, condition, end);
            }
        }
        copy({i, first});
        if (t.is("{")) {
            copy({first, first + 1});
            list({first + 1, syntax_.partner(first)});
            return copy({syntax_.partner(first), syntax_.partner(first) + 1});
        }
        if (headed) {
            return t.is("if") || t.is("switch") ? branch(first, head, end, alone)
                                                : statement(copy({first, head.end + 1}), end, false);
        }
        if (t.is("do")) {
            const std::size_t body = statement(copy({first, first + 1}), end, false);
            return copy({body, std::min(semicolon(body, end) + 1, end)});
        }
        const bool label = t.is_identifier() && syntax_[first + 1].is(":");
        if (label || is_one_of(t, {"case", "default"})) {
            std::size_t colon = first;
            while (colon < end && !syntax_[colon].is(":")) {
                colon = syntax_[colon].is("(") ? syntax_.partner(colon) + 1 : colon + 1;
            }
            colon = copy({first, std::min(colon + 1, end)});
            return colon < end ? statement(colon, end, false) : end;
        }
        return simple(first, end, alone);
    }

    // The condition after the body. Empty if there is none.
    Range condition_of(std::size_t keyword, std::size_t end) {
        writing_ = false;
        const std::size_t body = statement(keyword + 1, end, false);
        writing_ = true;
        const bool there = body < end && syntax_[body].is("while") && syntax_[body + 1].is("(");
        return there ? Range{body + 2, syntax_.partner(body + 1)} : Range{};
    }

    std::size_t branch(std::size_t keyword, Range head, std::size_t end, bool alone) {
        const std::vector<Range> parts = split(head, ",");
        const bool several = has_barrier(head) && parts.size() > 1;
        const bool wrap = has_barrier(head) && (several || !alone);
        begin_at(keyword, wrap);
        put(wrap ? "{" : "");
        for (std::size_t n = 0; several && n + 1 < parts.size(); ++n) {
            copy(parts[n]);
            put(";");
        }
        copy({keyword, keyword + 2});
        copy(several ? parts.back() : head);
        std::size_t i = statement(copy({head.end, head.end + 1}), end, false);
        if (syntax_[keyword].is("if") && i < end && syntax_[i].is("else")) {
            i = statement(copy({i, i + 1}), end, false);
        }
        put(wrap ? "}" : "");
        return i;
    }

    std::size_t while_loop(std::size_t keyword, Range condition, std::size_t end) {
        begin_at(keyword, true);
        put({"for", "(", ";", ";", ")", "{"});
        leave_unless(condition);
        const std::size_t i = statement(condition.end + 1, end, false);
        put("}");
        return i;
    }

    // `continue` leads to the condition, so it is placed first in the body, except in the first iteration.
    std::size_t do_loop(std::size_t keyword, Range condition, std::size_t end) {
        begin_at(keyword, true);
        const std::string again = "fy_again" + std::to_string(keyword);
        put_loop_with_flag(again);
        put({"if", "(", again, ")", "{"});
        leave_unless(condition);
        put("}");
        statement(keyword + 1, end, false);
        put("}");
        return condition.end + (syntax_[condition.end + 1].is(";") ? 2 : 1);
    }

    std::size_t for_loop(std::size_t keyword, Range head, std::size_t end) {
        const std::vector<Range> parts = split(head, ";");
        const Range init = parts[0];
        const Range condition = parts[1];
        const Range step = parts[2];
        const bool moves_step = has_barrier(step);
        const bool moves_condition = moves_step || has_barrier(condition);
        const bool moves_init = moves_step || has_barrier(init);
        const std::string again = "fy_again" + std::to_string(keyword);
        begin_at(keyword, true);
        put(moves_init ? "{" : "");
        if (moves_init) {
            simple(init.begin, init.end + 1, true);
        }
        if (moves_step) {
            put_loop_with_flag(again);
            put({"if", "(", again, ")", "{"});
            parts_as_statements(step);
            put("}");
        } else {
            put({"for", "("});
            copy(moves_init ? Range{} : init);
            put(";");
            copy(moves_condition ? Range{} : condition);
            put(";");
            copy(step);
            put({")", moves_condition ? "{" : ""});
        }
        if (moves_condition && !condition.empty()) {
            leave_unless(condition);
        }
        const std::size_t i = statement(head.end + 1, end, false);
        put(moves_condition ? "}" : "");
        put(moves_init ? "}" : "");
        return i;
    }

    // 0 in the first iteration; a variable of the group, which costs nothing.
    void put_loop_with_flag(const std::string& again) {
        put({"for", "(", "int", again, "=", "0", ";", ";", again, "=", "1", ")", "{"});
    }

    void leave_unless(Range condition) {
        const std::vector<Range> parts = split(condition, ",");
        for (std::size_t n = 0; n + 1 < parts.size(); ++n) {
            copy(parts[n]);
            put(";");
        }
        for (const Range& one : operands_of_and(parts.back())) {
            put({"if", "(", "!", "("});
            copy(one);
            put({")", ")", "break", ";"});
        }
    }

    std::vector<Range> operands_of_and(Range range) const {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const Token& t = syntax_[i];
            if (t.is("||") || t.is("?") || is_assignment(t)) { // Operators with lower precedence.
                return {range};
            }
            i = opens_bracket(t) ? syntax_.partner(i) : i;
        }
        return split(range, "&&");
    }

    // Up to its semicolon. Calls after a comma become separate statements.
    std::size_t simple(std::size_t begin, std::size_t end, bool alone) {
        const std::size_t last = semicolon(begin, end);
        const Range all{begin, std::min(last + 1, end)};
        if (const Range inner = in_parentheses({begin, last}); inner.begin != begin && last != end) {
            begin_at(begin, true); // (barrier(1)); as macros may produce it.
            put(alone ? "" : "{");
            parts_as_statements(inner);
            put(alone ? "" : "}");
            return all.end;
        }
        const std::vector<Range> parts = split({begin, last}, ",");
        const auto has_one = [&](const Range& part) { return has_barrier(part); };
        const bool behind = std::any_of(parts.begin() + 1, parts.end(), has_one);
        Declaration d;
        if (parts.size() == 1 || last == end || is_one_of(syntax_[begin], {"return", "typedef"})) {
            return copy(all);
        }
        const bool declares = read_declaration(syntax_, all, d);
        if (!behind && (declares || !has_one(parts.front()))) {
            return copy(all);
        }
        if (!declares) {
            begin_at(begin, true);
            put(alone ? "" : "{");
            parts_as_statements({begin, last});
            put(alone ? "" : "}");
            return all.end;
        }
        for (std::size_t i = d.specifiers.begin; i < d.specifiers.end; ++i) {
            if (syntax_[i].is("{")) {
                return copy(all);
            }
        }
        begin_at(begin, true);
        for (const Declarator& one : d.declarators) {
            copy(d.specifiers);
            copy(one.all);
            put(";");
        }
        return all.end;
    }

    // The text in parentheses around all of it, if it contains a barrier.
    Range in_parentheses(Range range) const {
        while (range.begin < range.end && syntax_[range.begin].is("(") &&
               syntax_.partner(range.begin) + 1 == range.end && has_barrier(range)) {
            ++range.begin;
            --range.end;
        }
        return range;
    }

    void parts_as_statements(Range range) {
        for (const Range& part : split(range, ",")) {
            copy(part);
            put(";");
        }
    }

    // Not within brackets, nor between ? and :.
    std::vector<Range> split(Range range, std::string_view at) const {
        std::vector<Range> parts{range};
        std::size_t choices = 0;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const Token& t = syntax_[i];
            choices += t.is("?") ? 1 : 0;
            choices -= t.is(":") && choices != 0 ? 1 : 0;
            if (t.is(at) && choices == 0) {
                parts.back().end = i;
                parts.push_back({i + 1, range.end});
            }
            i = opens_bracket(t) ? syntax_.partner(i) : i;
        }
        return parts;
    }

    std::size_t semicolon(std::size_t i, std::size_t end) const {
        while (i < end && !syntax_[i].is(";")) {
            i = opens_bracket(syntax_[i]) ? syntax_.partner(i) + 1 : i + 1;
        }
        return std::min(i, end);
    }

    bool has_barrier(Range range) const {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (syntax_[i].is_identifier() && syntax_[i + 1].is("(")) {
                const FunctionSyntax* const f = syntax_.function(syntax_[i].text);
                if (is_barrier(syntax_[i].text) || (f != nullptr && f->has_barrier)) {
                    return true;
                }
            }
        }
        return false;
    }

    void begin_at(std::size_t token, bool changes) {
        at_ = syntax_[token].at;
        changed_ = changed_ || (changes && writing_);
    }
    std::size_t copy(Range range) {
        for (std::size_t i = range.begin; i < range.end && writing_; ++i) {
            out_.push_back(syntax_[i]);
        }
        return range.end;
    }
    void put(std::string_view text) { put({text}); }
    void put(std::initializer_list<std::string_view> texts) {
        for (const std::string_view text : texts) {
            if (!text.empty() && writing_) {
                Token t;
                const char c = text.front();
                t.kind = c >= 'a' && c <= 'z'   ? TokenKind::identifier
                         : c >= '0' && c <= '9' ? TokenKind::number
                                                : TokenKind::punctuator;
                t.text = files_.keep(std::string(text));
                t.space_before = true;
                t.at = at_;
                out_.push_back(t);
            }
        }
    }

    const Syntax& syntax_;
    Files& files_;
    std::vector<Token> out_;
    Position at_;
    std::size_t depth_ = 0;
    bool writing_ = true; ///< Otherwise it only searches for the end of a statement.
    bool changed_ = false;
};

} // namespace

std::optional<std::vector<Token>> clear_heads(const Syntax& syntax, Files& files) {
    return HeadClearer(syntax, files).run();
}

} // namespace ferry::translate
