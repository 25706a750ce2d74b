// SPDX-License-Identifier: Apache-2.0
#include "local_objects.hpp"

#include "operands.hpp"
#include "statements.hpp"

#include <algorithm>
#include <unordered_set>

namespace ferry::translate {
namespace {

class Parter {
public:
    Parter(const Syntax& syntax, Files& files, Diagnostics& diagnostics)
        : syntax_(syntax), files_(files), diagnostics_(diagnostics) {}

    std::optional<std::vector<Token>> run() {
        const std::vector<Token>& tokens = syntax_.tokens();
        if (std::none_of(tokens.begin(), tokens.end(), [](const Token& t) { return t.is("__local"); })) {
            return std::nullopt;
        }
        std::size_t next = 0;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const bool begins = i == 0 || is_one_of(tokens[i - 1], {";", "{", "}", ":"});
            if (!begins || !tokens[i].is_identifier()) {
                continue;
            }
            const std::size_t end = behind_local_declaration(i);
            Declaration d;
            if (end == i || !read_declaration(syntax_, {i, end}, d) || d.declarators.empty()) {
                continue;
            }
            if (d.is_typedef ? type(d, next, i) : declaration(d, next, i)) {
                next = end;
            }
            i = end - 1;
        }
        if (!changed_) {
            return std::nullopt;
        }
        copy(next, tokens.size());
        return std::move(out_);
    }

private:
    // The position after the declaration that begins there. The position itself if it has no __local outside
    // of brackets.
    std::size_t behind_local_declaration(std::size_t begin) const {
        bool local = false;
        std::size_t i = begin;
        for (; i < syntax_.tokens().size() && !is_one_of(syntax_[i], {";", "}", ":"}); ++i) {
            const Token& t = syntax_[i];
            const bool body = t.is("{") && i > begin && syntax_[i - 1].is(")");
            if (body || t.kind == TokenKind::end || (!local && t.is("="))) {
                return begin;
            }
            local = local || t.is("__local") || types_.count(t.text) != 0;
            i = opens_bracket(t) ? syntax_.partner(i) : i;
        }
        return local && i < syntax_.tokens().size() && syntax_[i].is(";") ? i + 1 : begin;
    }

    // Pointers belong to the work-item, except those with a __local after their last *.
    bool is_object(const Declarator& d) const {
        bool object = true;
        for (std::size_t i = d.all.begin; i < d.name; ++i) {
            object = syntax_[i].is("*") ? false : object || syntax_[i].is("__local");
        }
        return object;
    }

    bool is_pointer(const Declarator& d) const {
        const auto begin = syntax_.tokens().begin();
        return std::any_of(begin + static_cast<std::ptrdiff_t>(d.all.begin),
                           begin + static_cast<std::ptrdiff_t>(d.name),
                           [](const Token& t) { return t.is("*"); });
    }

    // typedef __local int t; is typedef int t; with __local before each t.
    bool type(const Declaration& d, std::size_t next, std::size_t begin) {
        const auto objects = std::count_if(d.declarators.begin(), d.declarators.end(),
                                           [&](const Declarator& one) { return is_object(one); });
        if (objects == 0) {
            return false;
        }
        if (objects != 1 || d.declarators.size() != 1) {
            diagnostics_.error(syntax_[begin].at, "types of objects in local memory have a typedef each");
            return false;
        }
        changed_ = true;
        copy(next, begin);
        for (std::size_t i = begin; i < d.declarators.front().all.end; ++i) {
            if (!syntax_[i].is("__local")) {
                copy(i, i + 1);
            }
        }
        put(";", d.declarators.front());
        types_.insert(syntax_[d.declarators.front().name].text);
        return true;
    }

    // Returns false if it is unchanged.
    bool declaration(const Declaration& d, std::size_t next, std::size_t begin) {
        std::unordered_set<std::size_t> dropped;
        bool mixed = false;
        for (const Declarator& one : d.declarators) {
            const Declarator& first = d.declarators.front();
            mixed = mixed || is_object(one) != is_object(first) ||
                    (is_object(one) && is_pointer(one) != is_pointer(first));
            note_parentheses(one, dropped);
        }
        if (!mixed && dropped.empty()) {
            return false;
        }
        if (mixed && writes_type_out(d)) {
            diagnostics_.error(syntax_[begin].at,
                               "objects in local memory and pointers are declared together with "
                               "their type; declare the type first");
            return false;
        }
        changed_ = true;
        copy(next, begin);
        for (const Declarator& one : d.declarators) {
            const bool first = &one == &d.declarators.front();
            if (first || mixed) {
                copy(d.specifiers.begin, d.specifiers.end);
            }
            for (std::size_t i = one.all.begin; i < one.all.end; ++i) {
                if (dropped.count(i) == 0) {
                    copy(i, i + 1);
                    out_.back().space_before = true;
                }
            }
            put(mixed || &one == &d.declarators.back() ? ";" : ",", one);
        }
        return true;
    }

    // Around the name alone, or around it and further parentheses.
    void note_parentheses(const Declarator& d, std::unordered_set<std::size_t>& dropped) const {
        std::size_t open = d.name;
        while (open > d.all.begin && syntax_[open - 1].is("(")) {
            --open;
        }
        for (; open < d.name; ++open) {
            if (syntax_.partner(open) == d.name + (d.name - open)) {
                dropped.insert({open, syntax_.partner(open)});
            }
        }
    }

    bool writes_type_out(const Declaration& d) const {
        const auto begin = syntax_.tokens().begin();
        return std::any_of(begin + static_cast<std::ptrdiff_t>(d.specifiers.begin),
                           begin + static_cast<std::ptrdiff_t>(d.specifiers.end),
                           [](const Token& t) { return t.is("{"); });
    }

    void copy(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const bool member = i > 0 && (syntax_[i - 1].is(".") || syntax_[i - 1].is("->"));
            if (types_.count(syntax_[i].text) != 0 && !member) {
                out_.push_back(syntax_[i]);
                out_.back().text = "__local";
            }
            out_.push_back(syntax_[i]);
        }
    }
    void put(std::string_view text, const Declarator& like) {
        Token t = syntax_[like.name];
        t.kind = TokenKind::punctuator;
        t.text = files_.keep(std::string(text));
        t.line_start = false;
        out_.push_back(t);
    }

    const Syntax& syntax_;
    Files& files_;
    Diagnostics& diagnostics_;
    std::unordered_set<std::string_view> types_; ///< Types with objects in local memory.
    std::vector<Token> out_;
    bool changed_ = false;
};

} // namespace

std::optional<std::vector<Token>> part_local_objects(const Syntax& syntax, Files& files,
                                                     Diagnostics& diagnostics) {
    return Parter(syntax, files, diagnostics).run();
}

} // namespace ferry::translate
