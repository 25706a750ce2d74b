// SPDX-License-Identifier: Apache-2.0
#include "condition.hpp"

#include <string>

namespace ferry::translate {
namespace {

struct Value {
    std::uint64_t bits = 0;
    bool is_unsigned = false;

    std::int64_t as_signed() const noexcept { return static_cast<std::int64_t>(bits); }
};

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
    return {left ? (count < 64 ? a.bits << count : 0) : shift_right(a, count), a.is_unsigned};
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
    Evaluator(std::span<const Token> tokens, Position at, std::string_view directive, std::size_t depth_limit,
              Diagnostics& diagnostics)
        : tokens_{tokens},
          at_{at},
          directive_{directive},
          depth_limit_{depth_limit},
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
        return {condition.bits != 0 ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
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

    static Value truth(bool value) noexcept { return {value ? 1U : 0U, false}; }

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
            return shift(a, b, c == '<');
        }
        const bool is_unsigned = a.is_unsigned || b.is_unsigned;
        const auto typed = [&](std::uint64_t bits) { return Value{bits, is_unsigned}; };
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

    Value unary(bool live) {
        const std::size_t first = next_;
        while (take("!") || take("-") || take("~") || take("+")) {
        }
        std::size_t behind = next_;
        Value value = primary(live);
        while (behind != first && !failed_) {
            const char c = tokens_[--behind].text[0];
            value = c == '!' ? truth(value.bits == 0) : value;
            value.bits = c == '-' ? 0 - value.bits : c == '~' ? ~value.bits : value.bits;
        }
        return value;
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
                return {static_cast<std::uint64_t>(*value), false};
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
        return {integer.bits, integer.is_unsigned};
    }

    std::span<const Token> tokens_;
    Position at_;
    std::string directive_;
    std::size_t depth_limit_;
    Diagnostics& diagnostics_;
    std::size_t next_ = 0;
    std::size_t depth_ = 0;
    bool failed_ = false;
    Token none_;
};

} // namespace

std::optional<bool> evaluate(std::span<const Token> tokens, Position at, std::string_view directive,
                             std::size_t depth_limit, Diagnostics& diagnostics) {
    const std::optional<Value> value = Evaluator(tokens, at, directive, depth_limit, diagnostics).run();
    return value ? std::optional<bool>(value->bits != 0) : std::nullopt;
}

} // namespace ferry::translate
