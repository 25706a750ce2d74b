// SPDX-License-Identifier: Apache-2.0
#include "constant_value.hpp"

#include "condition.hpp"

#include <array>
#include <charconv>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ferry::translate {
namespace {

// Bytes of a scalar or a vector. 0 for other types.
std::size_t size_of(std::string_view type) {
    static constexpr std::array<std::pair<std::string_view, std::size_t>, 13> scalars{{{"char", 1},
                                                                                       {"uchar", 1},
                                                                                       {"short", 2},
                                                                                       {"ushort", 2},
                                                                                       {"half", 2},
                                                                                       {"int", 4},
                                                                                       {"uint", 4},
                                                                                       {"float", 4},
                                                                                       {"long", 8},
                                                                                       {"ulong", 8},
                                                                                       {"double", 8},
                                                                                       {"size_t", 8},
                                                                                       {"ptrdiff_t", 8}}};
    const std::size_t digits = type.find_last_not_of("0123456789") + 1;
    std::size_t width = 1;
    std::from_chars(type.data() + digits, type.data() + type.size(), width);
    for (const auto& [name, size] : scalars) {
        if (type.substr(0, digits) == name) {
            return size * (width == 3 ? 4 : width);
        }
    }
    return 0;
}

class Substitution {
public:
    Substitution(const Syntax& syntax, const Enumerators& enumerators)
        : syntax_(syntax), enumerators_(enumerators) {}

    std::optional<std::int64_t> enumerator(std::string_view name) const {
        const auto value = enumerators_ ? enumerators_(name) : std::nullopt;
        return value ? value : syntax_.enumerator(name);
    }

    void add(std::size_t& i) {
        const Token& t = syntax_[i];
        if (t.is("sizeof") && syntax_[i + 1].is("(") && syntax_.partner(i + 1) == i + 3) {
            if (const std::size_t size = size_of(syntax_.resolved(syntax_[i + 2].text)); size != 0) {
                number(t, static_cast<std::int64_t>(size), "ul");
                i += 3;
                return;
            }
        }
        if (const auto value = t.is_identifier() ? enumerator(t.text) : std::nullopt) {
            number(t, *value);
        } else {
            tokens_.push_back(t);
            tokens_.back().text = t.is_identifier() ? syntax_.resolved(t.text) : t.text; // Of a cast.
        }
    }
    const std::vector<Token>& tokens() const noexcept { return tokens_; }

private:
    void number(const Token& like, std::int64_t value, std::string_view suffix = {}) {
        constexpr std::int64_t most_int = std::numeric_limits<std::int32_t>::max();
        constexpr std::int64_t most_uint = std::numeric_limits<std::uint32_t>::max();
        const bool is_uint = value > most_int && value <= most_uint;
        put(like, TokenKind::punctuator, "(");
        if (value < 0) { // No constant is negative here.
            put(like, TokenKind::punctuator, "~");
        }
        const std::string digits = std::to_string(value < 0 ? ~value : value);
        put(like, TokenKind::number, texts_.emplace_back(digits + std::string(is_uint ? "u" : suffix)));
        put(like, TokenKind::punctuator, ")");
    }
    void put(const Token& like, TokenKind kind, std::string_view text) {
        tokens_.push_back(like);
        tokens_.back().kind = kind;
        tokens_.back().text = text;
    }

    const Syntax& syntax_;
    const Enumerators& enumerators_;
    std::deque<std::string> texts_;
    std::vector<Token> tokens_;
};

} // namespace

std::optional<std::int64_t> constant_value(const Syntax& syntax, Range expression, Position at,
                                           std::string_view what, Diagnostics& diagnostics,
                                           const Enumerators& enumerators) {
    Substitution substitution(syntax, enumerators);
    for (std::size_t i = expression.begin; i < expression.end; ++i) {
        if (syntax.is_ambiguous_enumerator(syntax[i].text) && !substitution.enumerator(syntax[i].text)) {
            diagnostics.error(syntax[i].at, "which value " + quoted(syntax[i].text) + " has in " +
                                                std::string(what) +
                                                " is not clear: it is no constant, or two enumerators "
                                                "have the name");
            return std::nullopt;
        }
        substitution.add(i);
    }
    return evaluate_integer(substitution.tokens(), at, what, diagnostics);
}

} // namespace ferry::translate
