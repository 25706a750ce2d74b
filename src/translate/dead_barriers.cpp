// SPDX-License-Identifier: Apache-2.0
#include "dead_barriers.hpp"

#include "constant_value.hpp"
#include "statements.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

class Dropper {
public:
    explicit Dropper(const Syntax& syntax) : syntax_(syntax) {}

    std::optional<std::vector<Token>> run() {
        for (const FunctionSyntax& f : syntax_.functions()) {
            for (std::size_t i = f.body.begin; f.has_barrier && i < f.body.end; ++i) {
                i = std::max(i, next_);
                if (i < f.body.end && syntax_[i].is("if") && syntax_[i + 1].is("(")) {
                    branch(i, f.body.end);
                }
            }
        }
        if (!changed_) {
            return std::nullopt;
        }
        copy(syntax_.tokens().size());
        return std::move(out_);
    }

private:
    void branch(std::size_t keyword, std::size_t end) {
        const std::size_t close = syntax_.partner(keyword + 1);
        const Range yes{close + 1, behind_statement(syntax_, {close + 1, end})};
        const bool other = yes.end < end && syntax_[yes.end].is("else");
        const Range no{yes.end + 1, other ? behind_statement(syntax_, {yes.end + 1, end}) : yes.end + 1};
        if (yes.empty() || (other && no.empty())) {
            return; // Not valid C.
        }
        for (std::size_t i = keyword + 2; i < close; ++i) { // The name of an enumerator may be that of a
                                                            // variable.
            if (syntax_[i].is_identifier() && !syntax_[i].is("sizeof") && !is_scalar_type(syntax_[i].text)) {
                return;
            }
        }
        Diagnostics unheard;
        const auto value =
            constant_value(syntax_, {keyword + 2, close}, syntax_[keyword].at, "a condition", unheard);
        if (!value || !has_barrier(*value != 0 ? no : yes)) {
            return;
        }
        changed_ = true;
        copy(keyword);
        if (*value != 0) { // In braces, because an else after it belongs to the enclosing statement.
            next_ = yes.begin;
            copy(yes.end);
        } else if (other) {
            next_ = no.begin;
        } else {
            out_.push_back(syntax_[yes.end - 1]);
            out_.back().text = ";";
        }
        next_ = *value != 0 ? no.end : other ? no.begin : yes.end;
    }

    bool has_barrier(Range range) const {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const FunctionSyntax* const f = syntax_.function(syntax_[i].text);
            if (syntax_[i].is_identifier() &&
                (is_barrier(syntax_[i].text) || (f != nullptr && f->has_barrier))) {
                return true;
            }
        }
        return false;
    }

    void copy(std::size_t end) {
        for (; next_ < end; ++next_) {
            out_.push_back(syntax_[next_]);
        }
    }

    const Syntax& syntax_;
    std::vector<Token> out_;
    std::size_t next_ = 0;
    bool changed_ = false;
};

} // namespace

std::optional<std::vector<Token>> drop_dead_barriers(const Syntax& syntax) {
    return Dropper(syntax).run();
}

} // namespace ferry::translate
