// SPDX-License-Identifier: Apache-2.0
#include "host_guard.hpp"

#include "operands.hpp"
#include "statements.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

namespace ferry::translate {
namespace {

// Names, numbers, operators, and calls of the work-item functions, which may be evaluated twice.
bool is_pure(const Syntax& syntax, Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
        const Token& t = syntax[i];
        if (is_writing(t) || t.is("[") || t.is("->") || t.is("{") || t.kind == TokenKind::string) {
            return false;
        }
        if ((t.is("*") || t.is("&")) && syntax.is_unary(i)) {
            return false;
        }
        const bool call = t.is_identifier() && syntax[i + 1].is("(");
        if (call && !is_work_item_function(t.text) && t.text != "min" && t.text != "max") {
            return false;
        }
        if (call && (syntax.function(t.text) != nullptr || t.text.starts_with("async"))) {
            return false;
        }
    }
    return true;
}

bool declares_purely(const Syntax& syntax, Range statement) {
    Declaration d;
    return read_declaration(syntax, statement, d) && !d.is_typedef &&
           std::all_of(d.declarators.begin(), d.declarators.end(),
                       [&](const Declarator& n) { return !n.array && is_pure(syntax, n.initialiser); });
}

std::size_t end_of_statement(const Syntax& syntax, std::size_t i, std::size_t end) {
    while (i < end && !syntax[i].is(";")) {
        i = syntax[i].is("(") || syntax[i].is("[") || syntax[i].is("{") ? syntax.partner(i) + 1 : i + 1;
    }
    return std::min(i + 1, end);
}

// Whether a call at `i` of a work-item function queries another dimension than x.
bool is_across(const Syntax& syntax, std::size_t i) {
    return syntax[i + 1].is("(") && (syntax[i + 2].is("1") || syntax[i + 2].is("2")) && syntax[i + 3].is(")");
}

// Finds whether the work-items of a row for which a condition is true are adjacent. This is the case if it is
// a conjunction of comparisons, each between the index in x and a value that is the same for the row, or
// without that index. Indices are less than 2^31.
class Intervals {
public:
    Intervals(const Syntax& syntax, Range before) : syntax_(syntax) {
        for (std::size_t i = before.begin; i < before.end;) {
            const std::size_t next = end_of_statement(syntax, i, before.end);
            declaration({i, next});
            i = next;
        }
    }

    /// `negated`: whether the work-items for which it is false are adjacent.
    bool holds(Range range, bool negated) const {
        while (syntax_[range.begin].is("(") && syntax_.partner(range.begin) + 1 == range.end) {
            range = {range.begin + 1, range.end - 1};
        }
        if (!has_index(range)) {
            return true;
        }
        const std::vector<Range> parts = split(range, negated ? "||" : "&&");
        if (parts.size() > 1) {
            return std::all_of(parts.begin(), parts.end(), [&](Range part) { return holds(part, negated); });
        }
        return comparison(range, negated);
    }

private:
    void declaration(Range statement) {
        Declaration d;
        read_declaration(syntax_, statement, d);
        bool wide = false;
        for (std::size_t i = d.specifiers.begin; i < d.specifiers.end; ++i) {
            static const std::unordered_set<std::string_view> types{"int",   "uint",   "long",
                                                                    "ulong", "size_t", "unsigned"};
            wide = wide || types.count(syntax_.resolved(syntax_[i].text)) != 0;
            if (!is_qualifier(syntax_[i].text) && types.count(syntax_.resolved(syntax_[i].text)) == 0) {
                wide = false;
                break;
            }
        }
        for (const Declarator& n : d.declarators) {
            const std::string_view name = syntax_[n.name].text;
            if (wide && !n.pointer && is_index(n.initialiser)) {
                indices_.insert(name);
            } else if (n.initialiser.empty() || has_index(n.initialiser)) {
                varying_.insert(name);
            }
        }
    }

    bool has_index(Range range) const {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const std::string_view word = syntax_[i].text;
            if (indices_.count(word) != 0 || varying_.count(word) != 0 ||
                ((word == "get_global_id" || word == "get_local_id" || word == "get_sub_group_id") &&
                 !is_across(syntax_, i))) {
                return true;
            }
        }
        return false;
    }

    bool is_index(Range range) const {
        if (range.end - range.begin == 1) {
            return indices_.count(syntax_[range.begin].text) != 0;
        }
        return range.end - range.begin == 4 && syntax_[range.begin + 2].is("0") &&
               (syntax_[range.begin].is("get_global_id") || syntax_[range.begin].is("get_local_id"));
    }

    // With a small number added it does not wrap either, unless the kernel's own int overflows.
    bool is_index_or_next(Range range) const {
        const std::size_t n = range.end - range.begin;
        const bool next =
            n > 2 && syntax_[range.end - 2].is("+") && syntax_[range.end - 1].kind == TokenKind::number &&
            syntax_[range.end - 1].text.find_first_not_of("0123456789") == std::string_view::npos &&
            syntax_[range.end - 1].text.size() < 8;
        return is_index(next ? Range{range.begin, range.end - 2} : range);
    }

    bool comparison(Range range, bool negated) const {
        std::size_t at = range.end;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (syntax_[i].is("(") || syntax_[i].is("[")) {
                i = syntax_.partner(i);
                continue;
            }
            static constexpr std::array<std::string_view, 6> operators{"<", ">", "<=", ">=", "==", "!="};
            static constexpr std::array<std::string_view, 5> inside{"+", "-", "*", "/", "%"};
            const Token& t = syntax_[i];
            if (std::find(operators.begin(), operators.end(), t.text) != operators.end()) {
                if (at != range.end || t.is(negated ? "==" : "!=")) {
                    return false;
                }
                at = i;
            } else if (!t.is_identifier() && t.kind != TokenKind::number &&
                       std::find(inside.begin(), inside.end(), t.text) == inside.end()) {
                return false;
            }
        }
        const Range left{range.begin, at};
        const Range right{at + 1, range.end};
        return at != range.end && ((is_index_or_next(left) && !has_index(right)) ||
                                   (is_index_or_next(right) && !has_index(left)));
    }

    std::vector<Range> split(Range range, std::string_view by) const {
        std::vector<Range> parts{{range.begin, range.begin}};
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const std::string_view other = by == "||" ? "&&" : "||";
            if (syntax_[i].is("(") || syntax_[i].is("[")) {
                i = syntax_.partner(i);
            } else if (syntax_[i].is("?") || syntax_[i].is(",") || syntax_[i].is(other)) {
                return {range}; // It binds less tightly, or has another meaning.
            } else if (syntax_[i].is(by)) {
                parts.back().end = i;
                parts.push_back({i + 1, i + 1});
            }
        }
        parts.back().end = range.end;
        return parts;
    }

    const Syntax& syntax_;
    std::unordered_set<std::string_view> indices_; ///< Variables that are the index in x.
    std::unordered_set<std::string_view> varying_; ///< Others that depend on it.
};

bool knows_group(const Syntax& syntax, const FunctionSyntax& function,
                 std::unordered_set<std::string_view>& seen) {
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
        const std::string_view word = syntax[i].text;
        const bool asks = word == "get_local_id" || word == "get_group_id" || word == "get_sub_group_id" ||
                          word.starts_with("async_");
        if (asks && !is_across(syntax, i)) {
            return true;
        }
    }
    return std::any_of(function.calls.begin(), function.calls.end(), [&](std::string_view name) {
        const FunctionSyntax* const called = syntax.function(name);
        return called != nullptr && seen.insert(name).second && knows_group(syntax, *called, seen);
    });
}

} // namespace

bool groups_may_merge(const Syntax& syntax, const FunctionSyntax& kernel) {
    std::unordered_set<std::string_view> seen;
    return !kernel.has_barrier && !knows_group(syntax, kernel, seen) &&
           std::none_of(kernel.parameters.begin(), kernel.parameters.end(),
                        [](const ParameterSyntax& p) { return p.space == Space::local; });
}

std::optional<HostGuard> find_guard(const Syntax& syntax, const FunctionSyntax& kernel) {
    const std::size_t end = kernel.body.end;
    std::size_t i = kernel.body.begin;
    while (i < end && !syntax[i].is("if")) {
        const std::size_t next = end_of_statement(syntax, i, end);
        if (syntax[i].kind == TokenKind::pragma || !declares_purely(syntax, {i, next})) {
            return std::nullopt;
        }
        i = next;
    }
    if (i >= end || !syntax[i + 1].is("(")) {
        return std::nullopt;
    }
    HostGuard guard;
    guard.before = {kernel.body.begin, i};
    const std::size_t close = syntax.partner(i + 1);
    guard.condition = {i + 2, close};
    if (!is_pure(syntax, guard.condition)) {
        return std::nullopt;
    }
    std::size_t then = close + 1;
    const bool braced = syntax[then].is("{");
    const std::size_t first = braced ? then + 1 : then;
    if (syntax[first].is("return") && syntax[first + 1].is(";") && (!braced || syntax[first + 2].is("}"))) {
        guard.rest = {first + (braced ? 3 : 2), end};
        guard.interval = Intervals(syntax, guard.before).holds(guard.condition, true);
        return syntax[guard.rest.begin].is("else") ? std::nullopt : std::optional(guard);
    }
    guard.leaves = false;
    guard.interval = Intervals(syntax, guard.before).holds(guard.condition, false);
    guard.rest = {then, braced ? syntax.partner(then) + 1 : end_of_statement(syntax, then, end)};
    static constexpr std::array<std::string_view, 5> structured{"if", "for", "while", "do", "switch"};
    const bool simple =
        std::find(structured.begin(), structured.end(), syntax[then].text) == structured.end();
    return guard.rest.end == end && (braced || simple) ? std::optional(guard) : std::nullopt;
}

} // namespace ferry::translate
