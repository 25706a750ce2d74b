// SPDX-License-Identifier: Apache-2.0
#include "partial_condition.hpp"

#include "condition.hpp"
#include "lines.hpp"

#include <limits>

namespace ferry::translate {
namespace {

using PartialValue = std::optional<std::int64_t>; ///< Empty: not known.

constexpr std::size_t deepest_brackets = 100;

class PartialReader {
public:
    PartialReader(std::string_view text, const Branches& branches) : text_(text), branches_(branches) {}

    std::optional<bool> run() {
        const PartialValue value = any();
        const bool understood = !beyond_ && trimmed(text_).empty();
        return understood && value ? std::optional(*value != 0) : std::nullopt;
    }

private:
    bool take(std::string_view sign) {
        text_ = trimmed(text_);
        const bool there = text_.starts_with(sign);
        text_.remove_prefix(there ? sign.size() : 0);
        return there;
    }

    PartialValue any() {
        PartialValue value = all();
        while (take("||")) {
            value = joined(value, all(), true);
        }
        return value;
    }

    PartialValue all() {
        PartialValue value = comparison();
        while (take("&&")) {
            value = joined(value, comparison(), false);
        }
        return value;
    }

    /// An operand equal to `decisive` determines the result, whatever the other one is.
    static PartialValue joined(const PartialValue& a, const PartialValue& b, bool decisive) {
        if ((a && (*a != 0) == decisive) || (b && (*b != 0) == decisive)) {
            return decisive ? 1 : 0;
        }
        return a && b ? PartialValue(decisive ? 0 : 1) : PartialValue();
    }

    PartialValue comparison() {
        const PartialValue a = operand();
        for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
            if (take(sign)) {
                const PartialValue b = operand();
                return a && b ? PartialValue(compared(*a, sign, *b) ? 1 : 0) : PartialValue();
            }
        }
        return a;
    }

    static bool compared(std::int64_t a, std::string_view sign, std::int64_t b) {
        const bool less = a < b;
        if (sign.front() == '=' || sign.front() == '!') {
            return (a == b) == (sign.front() == '=');
        }
        return sign.front() == '<' ? less || (sign.size() == 2 && a == b)
                                   : !less && (sign.size() == 2 || a != b);
    }

    PartialValue operand() {
        bool opposite = false;
        bool truth = false;
        for (; take("!"); opposite = !opposite) {
            truth = true;
        }
        const PartialValue value = primary();
        return truth && value ? PartialValue((*value != 0) != opposite ? 1 : 0) : value;
    }

    PartialValue primary() {
        if (take("(")) {
            if (++depth_ > deepest_brackets) {
                beyond_ = true;
                return {};
            }
            const PartialValue value = any();
            --depth_;
            beyond_ = beyond_ || !take(")");
            return value;
        }
        const std::string_view word = take_word(text_);
        if (word.empty()) {
            beyond_ = true;
            return {};
        }
        if (word == "defined") {
            return defined();
        }
        if (word.front() >= '0' && word.front() <= '9') {
            const PartialValue value = partial_integer(word);
            beyond_ = beyond_ || !value;
            return value;
        }
        const Branches::Known macro = branches_.macro(word);
        if (macro && !macro->defined) {
            return 0;
        }
        beyond_ = beyond_ || (macro && !macro->value); // It may contain operators, which combine with those
                                                       // around it.
        return macro ? macro->value : PartialValue();
    }

    PartialValue defined() {
        const bool bracket = take("(");
        const Branches::Known macro = branches_.macro(take_word(text_));
        beyond_ = beyond_ || (bracket && !take(")"));
        return macro ? PartialValue(macro->defined ? 1 : 0) : PartialValue();
    }

    std::string_view text_;
    const Branches& branches_;
    std::size_t depth_ = 0;
    bool beyond_ = false;
};

} // namespace

std::optional<bool> partial_condition(std::string_view text, const Branches& branches) {
    return PartialReader(text, branches).run();
}

std::optional<std::int64_t> partial_integer(std::string_view text) {
    const std::string_view word = take_word(text);
    if (word.empty() || word.front() < '0' || word.front() > '9' || !trimmed(text).empty()) {
        return std::nullopt;
    }
    const Integer integer = integer_value(word);
    const bool simple = integer.error == nullptr && !integer.is_unsigned &&
                        integer.bits <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    return simple ? std::optional(static_cast<std::int64_t>(integer.bits)) : std::nullopt;
}

} // namespace ferry::translate
