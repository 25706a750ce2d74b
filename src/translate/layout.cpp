// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_set>

namespace ferry::translate {
namespace {

class Layout {
public:
    Layout(const Syntax& syntax, Diagnostics& diagnostics) : syntax_(syntax), diagnostics_(diagnostics) {}

    void run() {
        bool packed = false; // By #pragma pack.
        for (std::size_t i = 0; i + 1 < syntax_.tokens().size(); ++i) {
            const Token& t = syntax_[i];
            if (t.kind == TokenKind::pragma && t.text.starts_with("pack")) {
                packed = t.text.starts_with("pack(push");
            } else if (t.is("struct") || t.is("union")) {
                composite(i, packed);
            } else if (t.is("typedef")) {
                alias(i);
            }
        }
    }

private:
    void composite(std::size_t keyword, bool packed) {
        std::size_t open = keyword + 1;
        std::string_view name;
        while (syntax_[open].is_identifier() || syntax_[open].is("(")) { // A tag, attributes.
            packed = packed || (syntax_[open].is("(") && has_word({open, syntax_.partner(open)}, "packed"));
            name = name.empty() && !syntax_[open].is("__attribute__") ? syntax_[open].text : name;
            open = syntax_[open].is("(") ? syntax_.partner(open) + 1 : open + 1;
        }
        if (!syntax_[open].is("{")) {
            return;
        }
        const std::size_t close = syntax_.partner(open);
        std::size_t end = close + 1;
        while (syntax_[end].is("__attribute__") && syntax_[end + 1].is("(")) {
            end = syntax_.partner(end + 1) + 1;
        }
        packed = packed || has_word({open, end}, "packed");
        name = name.empty() && syntax_[end].is_identifier() ? syntax_[end].text : name;
        const std::size_t vector = vector_in({open + 1, close});
        if (vector == close) {
            return;
        }
        if (const CompositeSyntax* const known = syntax_.composite(name)) {
            with_vectors_.insert(known);
        }
        if (packed) {
            diagnostics_.error(syntax_[vector].at,
                               "a struct with a vector, here " + quoted(syntax_[vector].text) +
                                   ", cannot be packed; use an array of scalars and vloadn()");
        }
    }

    bool has_word(Range range, std::string_view word) const {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (syntax_[i].is(word)) {
                return true;
            }
        }
        return false;
    }

    /// The first member of a type that contains a vector. The end of the range if there is none.
    std::size_t vector_in(Range members) const {
        for (std::size_t i = members.begin; i < members.end; ++i) {
            const std::string_view word = syntax_[i].text;
            const CompositeSyntax* const part = syntax_.composite(word);
            const bool pointer = syntax_[i + 1].is("*") ||
                                 (syntax_.is_pointer_typedef(word) && syntax_.typedef_dimensions(word) == 0);
            if (syntax_[i].is_identifier() && !pointer && !syntax_[i + 1].is(";") &&
                (syntax_.is_vector_type(word) || aliases_.count(word) != 0 ||
                 with_vectors_.count(part) != 0)) {
                return i;
            }
        }
        return members.end;
    }

    void alias(std::size_t keyword) {
        std::size_t end = keyword + 1;
        std::size_t vector = 0;
        std::size_t aligned = 0;
        bool pointer = false;
        for (; end + 1 < syntax_.tokens().size() && !syntax_[end].is(";") && !syntax_[end].is("{"); ++end) {
            vector = syntax_.is_vector_type(syntax_[end].text) && vector == 0 ? end : vector;
            aligned = syntax_[end].is("aligned") ? end : aligned;
            pointer = pointer || syntax_[end].is("*");
            if (vector != 0 && !pointer && end > vector && syntax_[end].is_identifier()) {
                aliases_.insert(syntax_[end].text);
            }
        }
        if (vector != 0 && aligned != 0) {
            diagnostics_.error(syntax_[aligned].at,
                               "a typedef cannot change the alignment of the vector type " +
                                   quoted(syntax_[vector].text) +
                                   "; align the variable or the member, or use an array of scalars");
        }
    }

    const Syntax& syntax_;
    Diagnostics& diagnostics_;
    std::unordered_set<const CompositeSyntax*> with_vectors_;
    std::unordered_set<std::string_view> aliases_; ///< Typedefs of vectors and of arrays of them.
};

} // namespace

void check_layout(const Syntax& syntax, Diagnostics& diagnostics) {
    if (syntax.has_vectors()) {
        Layout(syntax, diagnostics).run();
    }
}

} // namespace ferry::translate
