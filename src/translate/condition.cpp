// SPDX-License-Identifier: Apache-2.0
#include "condition.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace ferry::translate {
namespace {

struct Value {
    std::uint64_t bits = 0; ///< A narrow value is extended by its sign, if it has one.
    bool is_unsigned = false;
    bool is_narrow = false; ///< 32 bits.

    Value wrapped() const noexcept {
        const auto low = static_cast<std::uint32_t>(bits);
        const auto extended =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(low)));
        return {!is_narrow ? bits : is_unsigned ? low : extended, is_unsigned, is_narrow};
    }

    std::int64_t as_signed() const noexcept { return static_cast<std::int64_t>(bits); }
};

/// The common type of two operands: the wider one, or the unsigned one of two with equal width.
Value common(Value a, Value b) noexcept {
    const bool is_narrow = a.is_narrow && b.is_narrow;
    const bool is_unsigned =
        (a.is_unsigned && a.is_narrow == is_narrow) || (b.is_unsigned && b.is_narrow == is_narrow);
    return {0, is_unsigned, is_narrow};
}

/// The integer types of the language, for casts.
struct IntegerType {
    std::string_view name;
    unsigned bits;
    bool is_unsigned;
};
const IntegerType* integer_type(std::string_view name) noexcept {
    static constexpr std::array<IntegerType, 13> types{{{"bool", 1, true},
                                                        {"char", 8, false},
                                                        {"uchar", 8, true},
                                                        {"short", 16, false},
                                                        {"ushort", 16, true},
                                                        {"int", 32, false},
                                                        {"uint", 32, true},
                                                        {"long", 64, false},
                                                        {"ulong", 64, true},
                                                        {"size_t", 64, true},
                                                        {"ptrdiff_t", 64, false},
                                                        {"intptr_t", 64, false},
                                                        {"uintptr_t", 64, true}}};
    for (const IntegerType& type : types) {
        if (type.name == name) {
            return &type;
        }
    }
    return nullptr;
}

bool is_floating(std::string_view number) noexcept {
    const bool hexadecimal = number.starts_with("0x") || number.starts_with("0X");
    return number.find_first_of(hexadecimal ? ".pP" : ".eE") != std::string_view::npos;
}

/// The precedence of a binary operator. 0: it is not one.
int strength(const Token& token) noexcept {
    struct Row {
        std::string_view text;
        int strength;
    };
    static constexpr Row rows[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
                                   {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
                                   {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};
    if (token.kind != TokenKind::punctuator) {
        return 0;
    }
    for (const Row& row : rows) {
        if (row.text == token.text) {
            return row.strength;
        }
    }
    return 0;
}

std::uint64_t shift_right(Value v, std::uint64_t count) noexcept {
    if (v.is_unsigned) {
        return count < 64 ? v.bits >> count : 0;
    }
    return static_cast<std::uint64_t>(v.as_signed() >> (count < 64 ? count : 63));
}

/// Like GCC: a negative count shifts the other way.
Value shift(Value a, Value b, bool left) noexcept {
    std::uint64_t count = b.bits;
    if (!b.is_unsigned && b.as_signed() < 0) {
        left = !left;
        count = 0 - b.bits;
    }
    return {left ? (count < 64 ? a.bits << count : 0) : shift_right(a, count), a.is_unsigned, a.is_narrow};
}

bool less(Value a, Value b, bool is_unsigned) noexcept {
    return is_unsigned ? a.bits < b.bits : a.as_signed() < b.as_signed();
}

std::uint64_t divide(Value a, Value b, bool is_unsigned, bool quotient) noexcept {
    if (is_unsigned) {
        return quotient ? a.bits / b.bits : a.bits % b.bits;
    }
    if (b.as_signed() == -1) { // The smallest number divided by -1 overflows.
        return quotient ? 0 - a.bits : 0;
    }
    return static_cast<std::uint64_t>(quotient ? a.as_signed() / b.as_signed()
                                               : a.as_signed() % b.as_signed());
}

class Evaluator {
public:
    /// `typed`: with the types of the language; otherwise all values have 64 bits.
    Evaluator(std::span<const Token> tokens, Position at, std::string_view directive, std::size_t depth_limit,
              bool typed, Diagnostics& diagnostics)
        : tokens_{tokens},
          at_{at},
          directive_{directive},
          depth_limit_{depth_limit},
          typed_{typed},
          diagnostics_{diagnostics} {}

    std::optional<Value> run() {
        if (tokens_.empty()) {
            fail(at_, directive_ + " has no expression");
            return std::nullopt;
        }
        const Value value = choice(true);
        if (!failed_ && next_ != tokens_.size()) {
            fail(peek().at, "'" + std::string(peek().text) + "' is not expected here in " + directive_);
        }
        return failed_ ? std::nullopt : std::optional<Value>(value);
    }

private:
    /// Counts the depth of recursion.
    class Level {
    public:
        explicit Level(Evaluator& evaluator) : evaluator_{evaluator} {
            if (++evaluator_.depth_ > evaluator_.depth_limit_) {
                evaluator_.fail(evaluator_.at_, "the expression of " + evaluator_.directive_ +
                                                    " is more than " +
                                                    std::to_string(evaluator_.depth_limit_) +
                                                    " levels deep, which is the limit");
            }
        }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;
        ~Level() { --evaluator_.depth_; }

    private:
        Evaluator& evaluator_;
    };

    Value fail(Position at, std::string message) {
        if (!failed_) {
            diagnostics_.error(at, std::move(message));
        }
        failed_ = true;
        next_ = tokens_.size();
        return {};
    }
    const Token& peek() const noexcept { return next_ < tokens_.size() ? tokens_[next_] : none_; }
    bool take(std::string_view text) {
        const bool found = peek().is(text);
        next_ += found ? 1 : 0;
        return found;
    }

    /// `a ? b : c`. Operands that are not evaluated are parsed but not computed, so a division by zero there
    /// is no error.
    Value choice(bool live) {
        const Level level(*this);
        const Value condition = failed_ ? Value{} : binary(1, live);
        const Position at = peek().at;
        if (!take("?")) {
            return condition;
        }
        const Value yes = choice(live && condition.bits != 0);
        if (!failed_ && !take(":")) {
            return fail(at, "'?' in " + directive_ + " has no ':'");
        }
        const Value no = choice(live && condition.bits == 0);
        Value value = common(yes, no);
        value.bits = condition.bits != 0 ? yes.bits : no.bits;
        return value.wrapped();
    }

    Value binary(int weakest, bool live) {
        Value left = unary(live);
        for (int found = strength(peek()); found >= weakest && found != 0; found = strength(peek())) {
            const Token operation = peek();
            ++next_;
            const bool skips =
                (operation.text == "&&" && left.bits == 0) || (operation.text == "||" && left.bits != 0);
            const Value right = binary(found + 1, live && !skips);
            left = apply(operation, left, right, live);
        }
        return left;
    }

    Value truth(bool value) const noexcept { return {value ? 1U : 0U, false, typed_}; }

    Value apply(const Token& operation, Value a, Value b, bool live) {
        const std::string_view text = operation.text;
        const char c = text[0];
        if (text == "&&") {
            return truth(a.bits != 0 && b.bits != 0);
        }
        if (text == "||") {
            return truth(a.bits != 0 || b.bits != 0);
        }
        if (text == "<<" || text == ">>") {
            if (typed_) { // OpenCL C uses only the required low bits of the count.
                b.bits &= a.is_narrow ? 31U : 63U;
            }
            return shift(a, b, c == '<').wrapped();
        }
        const Value type = common(a, b);
        const bool is_unsigned = type.is_unsigned;
        a = Value{a.bits, is_unsigned, type.is_narrow}.wrapped();
        b = Value{b.bits, is_unsigned, type.is_narrow}.wrapped();
        const auto typed = [&](std::uint64_t bits) {
            return Value{bits, is_unsigned, type.is_narrow}.wrapped();
        };
        if (text == "==" || text == "!=") {
            return truth((a.bits == b.bits) == (c == '='));
        }
        switch (c) {
        case '<':
            return truth(text.size() == 1 ? less(a, b, is_unsigned) : !less(b, a, is_unsigned));
        case '>':
            return truth(text.size() == 1 ? less(b, a, is_unsigned) : !less(a, b, is_unsigned));
        case '+':
            return typed(a.bits + b.bits);
        case '-':
            return typed(a.bits - b.bits);
        case '*':
            return typed(a.bits * b.bits);
        case '&':
            return typed(a.bits & b.bits);
        case '|':
            return typed(a.bits | b.bits);
        case '^':
            return typed(a.bits ^ b.bits);
        default:
            break;
        }
        if (b.bits == 0) {
            return live && !failed_ ? fail(operation.at, "division by zero in " + directive_) : typed(0);
        }
        return typed(divide(a, b, is_unsigned, c == '/'));
    }

    // (int) and similar casts.
    const IntegerType* take_cast() {
        if (!typed_ || next_ + 2 >= tokens_.size() || !tokens_[next_].is("(") ||
            !tokens_[next_ + 2].is(")")) {
            return nullptr;
        }
        const IntegerType* const type = integer_type(tokens_[next_ + 1].text);
        next_ += type != nullptr ? 3 : 0;
        return type;
    }

    static Value converted(Value value, const IntegerType& type) noexcept {
        const bool is_narrow = type.bits <= 32;
        if (type.bits == 1) {
            return {value.bits != 0 ? 1U : 0U, false, true};
        }
        if (type.bits < 32) { // Types narrower than int are promoted to int.
            const unsigned unused = 64 - type.bits;
            const auto high = value.bits << unused;
            value.bits = type.is_unsigned
                             ? high >> unused
                             : static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> unused);
        }
        return Value{value.bits, type.is_unsigned && type.bits >= 32, is_narrow}.wrapped();
    }

    Value unary(bool live) {
        const std::size_t first = next_;
        const IntegerType* last = nullptr;
        for (bool more = true; more;) {
            const IntegerType* const type = take_cast();
            more = type != nullptr || take("!") || take("-") || take("~") || take("+");
            last = more ? type : last;
        }
        std::size_t behind = next_;
        const bool floating =
            last != nullptr && last->bits > 1 && peek().kind == TokenKind::number && is_floating(peek().text);
        Value value = floating ? truncated() : primary(live);
        while (behind != first && !failed_) {
            const Token& operation = tokens_[--behind];
            if (operation.is(")")) {
                value = converted(value, *integer_type(tokens_[--behind].text));
                --behind;
                continue;
            }
            const char c = operation.text[0];
            value = c == '!' ? truth(value.bits == 0) : value;
            value.bits = c == '-' ? 0 - value.bits : c == '~' ? ~value.bits : value.bits;
            value = value.wrapped();
        }
        return value;
    }

    // 3.7f as an integer.
    Value truncated() {
        const Token& token = tokens_[next_++];
        const char* const end = token.text.data() + token.text.size();
        double value = 0;
        const auto [behind, error] = std::from_chars(token.text.data(), end, value);
        const std::string_view suffix(behind, static_cast<std::size_t>(end - behind));
        const bool whole = suffix.empty() || suffix == "f" || suffix == "F";
        if (error != std::errc() || !whole || !(std::fabs(value) < 9.2e18)) {
            return fail(token.at, "'" + std::string(token.text) + "' in " + directive_ + " is no integer");
        }
        return {static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), false, false};
    }

    Value primary(bool live) {
        const Token token = peek();
        if (next_ == tokens_.size()) {
            return fail(at_, "the expression of " + directive_ + " ends where a value is expected");
        }
        ++next_;
        switch (token.kind) {
        case TokenKind::identifier:
            if (peek().is("(")) {
                return fail(token.at, "'" + std::string(token.text) + "' is called in " + directive_ +
                                          ", but no such macro is defined");
            }
            return {};
        case TokenKind::number:
            return number(token);
        case TokenKind::character:
            if (const auto value = character_value(token.text)) {
                return {static_cast<std::uint64_t>(*value), false, typed_};
            }
            return fail(token.at, "this character constant has no value");
        default:
            break;
        }
        if (token.is("(")) {
            const Value value = choice(live);
            if (!failed_ && !take(")")) {
                return fail(token.at, "this '(' in " + directive_ + " has no closing ')'");
            }
            return value;
        }
        return fail(token.at,
                    "a value is expected in " + directive_ + ", not '" + std::string(token.text) + "'");
    }

    Value number(const Token& token) {
        const Integer integer = integer_value(token.text);
        if (integer.error != nullptr) {
            return fail(token.at, "'" + std::string(token.text) + "' in " + directive_ + " " + integer.error);
        }
        const bool signed_fits = integer.bits <= std::numeric_limits<std::int32_t>::max();
        const bool unsigned_fits = integer.bits <= std::numeric_limits<std::uint32_t>::max() &&
                                   (integer.is_unsigned || !integer.is_decimal);
        const bool is_narrow = typed_ && !integer.is_long && (signed_fits || unsigned_fits);
        return {integer.bits, integer.is_unsigned || (is_narrow && !signed_fits), is_narrow};
    }

    std::span<const Token> tokens_;
    Position at_;
    std::string directive_;
    std::size_t depth_limit_;
    bool typed_;
    Diagnostics& diagnostics_;
    std::size_t next_ = 0;
    std::size_t depth_ = 0;
    bool failed_ = false;
    Token none_;
};

} // namespace

std::optional<bool> evaluate(std::span<const Token> tokens, Position at, std::string_view directive,
                             std::size_t depth_limit, Diagnostics& diagnostics) {
    const std::optional<Value> value =
        Evaluator(tokens, at, directive, depth_limit, false, diagnostics).run();
    return value ? std::optional<bool>(value->bits != 0) : std::nullopt;
}

std::optional<std::int64_t> evaluate_integer(std::span<const Token> tokens, Position at,
                                             std::string_view what, Diagnostics& diagnostics) {
    for (const Token& token : tokens) {
        if (token.is_identifier() && integer_type(token.text) == nullptr) {
            diagnostics.error(token.at, "'" + std::string(token.text.substr(0, 80)) + "' in " +
                                            std::string(what) + " is no integer constant");
            return std::nullopt;
        }
    }
    const std::optional<Value> value = Evaluator(tokens, at, what, 200, true, diagnostics).run();
    return value ? std::optional<std::int64_t>(value->as_signed()) : std::nullopt;
}

} // namespace ferry::translate
