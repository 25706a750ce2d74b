// SPDX-License-Identifier: Apache-2.0
#include "element_count.hpp"

#include "constant_value.hpp"
#include "operands.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace ferry::translate {
namespace {

// The values of an array are its elements in order; without braces they may also be the parts of elements.
class Counter {
public:
    Counter(const Syntax& syntax, const Declaration& d, const Declarator& declarator)
        : syntax_(syntax), declarator_(declarator) {
        for (std::size_t i = d.specifiers.begin; i < d.specifiers.end; ++i) {
            composite_ = composite_ == nullptr ? syntax.composite(syntax[i].text) : composite_;
        }
        composite_ = declarator.pointer ? nullptr : composite_;
    }

    std::optional<std::size_t> count() {
        const std::size_t open = declarator_.initialiser.begin;
        if (declarator_.initialiser.empty() || !syntax_[open].is("{")) {
            return std::nullopt;
        }
        const std::size_t close = syntax_.partner(open);
        std::int64_t place = 0;
        std::int64_t most = 0;
        bool parts = false; // There are values that are not elements.
        bool elements = false;
        for (std::size_t i = open + 1; i < close; ++i) {
            if (syntax_[i].is("[")) {
                const std::size_t behind = syntax_.partner(i);
                const auto wanted = value({i + 1, behind});
                if (!wanted || *wanted < 0 || !syntax_[behind + 1].is("=")) {
                    return std::nullopt;
                }
                place = *wanted;
                elements = true; // A part would have a second designator.
                i = behind + 2;
            }
            std::size_t end = i;
            while (end < close && !syntax_[end].is(",")) {
                const bool bracket = syntax_[end].is("(") || syntax_[end].is("[") || syntax_[end].is("{");
                end = bracket ? syntax_.partner(end) + 1 : end + 1;
            }
            const Sort sort = sort_of({i, end});
            if (sort == Sort::unclear) {
                return std::nullopt;
            }
            (sort == Sort::element ? elements : parts) = true;
            most = std::max(most, ++place);
            i = end;
        }
        if (!parts) {
            return static_cast<std::size_t>(most);
        }
        const std::optional<std::int64_t> of_one = elements ? std::nullopt : parts_of_element();
        return of_one ? std::optional(static_cast<std::size_t>((most + *of_one - 1) / *of_one))
                      : std::nullopt;
    }

private:
    std::optional<std::int64_t> value(Range expression) const {
        Diagnostics unheard;
        return constant_value(syntax_, expression, syntax_[expression.begin].at, "a designator", unheard);
    }

    enum class Sort {
        element, ///< A whole element.
        part,    ///< A plain value.
        unclear
    };

    Sort sort_of(Range value) {
        const Token& first = syntax_[value.begin];
        if (first.is("{")) {
            return Sort::element;
        }
        if (value.empty() || first.is(".") || first.kind == TokenKind::string) {
            return Sort::unclear;
        }
        if (composite_ == nullptr) { // A number can be a whole vector too.
            return declarator_.dimensions > 1 ? Sort::part : Sort::element;
        }
        return declarator_.dimensions > 1 ? Sort::unclear : sort_in_structs(value);
    }

    // A whole struct is p, p[i], *p, f(x) or (struct P){1, 2}; it cannot be part of arithmetic.
    Sort sort_in_structs(Range value) {
        for (std::size_t i = value.begin + 1; i < value.end; ++i) {
            if (is_one_of(syntax_[i],
                          {"+", "-", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "==", "!="}) &&
                !syntax_.is_unary(i)) {
                return Sort::part;
            }
            i = opens_bracket(syntax_[i]) ? syntax_.partner(i) : i;
        }
        while (value.begin < value.end && syntax_[value.begin].is("*")) {
            ++value.begin;
        }
        const Token& first = syntax_[value.begin];
        if (first.is("(")) {
            const std::size_t close = syntax_.partner(value.begin);
            const bool literal = syntax_[close + 1].is("{");
            const bool scalar =
                close == value.begin + 2 && is_scalar_type(syntax_.resolved(syntax_[value.begin + 1].text));
            return literal ? Sort::element : scalar ? Sort::part : Sort::unclear;
        }
        std::size_t end = value.begin + 1;
        if (first.is_identifier() && syntax_[end].is("(") && syntax_.partner(end) + 1 == value.end) {
            const FunctionSyntax* const f = syntax_.function(first.text);
            return f != nullptr && names_composite(f->head) ? Sort::element : Sort::part;
        }
        while (end < value.end && syntax_[end].is("[")) {
            end = syntax_.partner(end) + 1;
        }
        return end != value.end         ? Sort::unclear
               : !first.is_identifier() ? Sort::part
                                        : sort_of_name(first.text);
    }

    bool names_composite(Range words) const {
        for (std::size_t i = words.begin; i < words.end; ++i) {
            if (syntax_.composite(syntax_[i].text) == composite_) {
                return true;
            }
        }
        return false;
    }

    // The possible type of the declarator there: it is directly before it, or at the beginning of the
    // statement.
    std::size_t type_before(std::size_t name) const {
        constexpr std::size_t far = 1000; // In a list of this many values, none is a declarator.
        std::size_t i = name;
        bool others = false; // Declarators.
        do {
            --i;
            others = others || syntax_[i].is(",");
            const bool closes = others && (syntax_[i].is(")") || syntax_[i].is("]") || syntax_[i].is("}"));
            i = closes ? syntax_.partner(i) : i;
        } while (i > 0 && name - i < far &&
                 (others ? !is_one_of(syntax_[i - 1], {";", "{", "("}) &&
                               !(syntax_[i - 1].is("}") && !syntax_[i].is(","))
                         : syntax_[i].is("*") || syntax_[i].is(",") || is_qualifier(syntax_[i].text)));
        while (others && (is_qualifier(syntax_[i].text) || is_one_of(syntax_[i], {"struct", "union"}))) {
            ++i;
        }
        return i;
    }

    // From the tokens before each declaration of the name.
    Sort sort_of_name(std::string_view name) {
        if (syntax_.enumerator(name)) {
            return Sort::part;
        }
        if (declared_.empty()) {
            for (std::size_t i = 1; i < syntax_.tokens().size(); ++i) {
                if (syntax_[i].is_identifier()) {
                    Declared& d = declared_[syntax_[i].text];
                    const std::string_view type = syntax_.resolved(syntax_[type_before(i)].text);
                    d.as_struct = d.as_struct || syntax_.composite(type) == composite_;
                    d.as_scalar = d.as_scalar || is_scalar_type(type);
                }
            }
        }
        const Declared d = declared_[name];
        return d.as_struct == d.as_scalar ? Sort::unclear : d.as_struct ? Sort::element : Sort::part;
    }

    // Number of plain values in one element: of int a[][3], and of a struct without arrays or structs in it.
    std::optional<std::int64_t> parts_of_element() const {
        std::int64_t parts = 1;
        if (composite_ != nullptr) {
            if (composite_->has_unnamed) {
                return std::nullopt;
            }
            for (const MemberSyntax& member : composite_->members) {
                const std::string_view type = syntax_.resolved(member.type);
                if (member.dimensions != 0 || !(member.type.empty() || is_scalar_type(type))) {
                    return std::nullopt;
                }
            }
            parts = composite_->is_union ? 1 : static_cast<std::int64_t>(composite_->members.size());
        }
        std::size_t i = declarator_.name + 1;
        std::size_t dimensions = 0;
        for (; syntax_[i].is("["); i = syntax_.partner(i) + 1) {
            const auto length =
                dimensions++ == 0 ? std::optional<std::int64_t>(1) : value({i + 1, syntax_.partner(i)});
            if (!length || *length < 1 || *length > (std::int64_t{1} << 20)) {
                return std::nullopt;
            }
            parts = std::min(parts * *length, std::int64_t{1} << 40);
        }
        return dimensions == declarator_.dimensions && parts > 0 ? std::optional(parts) : std::nullopt;
    }

    const Syntax& syntax_;
    const Declarator& declarator_;
    const CompositeSyntax* composite_ = nullptr;
    struct Declared {
        bool as_struct = false;
        bool as_scalar = false;
    };
    std::unordered_map<std::string_view, Declared> declared_;
};

} // namespace

std::string element_count(const Syntax& syntax, const Declaration& d, const Declarator& declarator) {
    const Range value = declarator.initialiser;
    std::string text;
    for (std::size_t i = value.begin; i < value.end && syntax[i].kind == TokenKind::string; ++i) {
        text += " " + std::string(syntax[i].text);
    }
    if (!text.empty()) {
        return "sizeof(" + text.substr(1) + ")";
    }
    const std::optional<std::size_t> count = Counter(syntax, d, declarator).count();
    return count ? std::to_string(*count) : "";
}

} // namespace ferry::translate
