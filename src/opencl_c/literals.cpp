// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace ferry::opencl_c {
namespace {

bool ends_with_any(std::string_view text, std::string_view letters) {
    return !text.empty() && letters.find(text.back()) != std::string_view::npos;
}

std::optional<unsigned> digit_of(char c) {
    if (c >= '0' && c <= '9') {
        return static_cast<unsigned>(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return static_cast<unsigned>(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return static_cast<unsigned>(c - 'A') + 10;
    }
    return std::nullopt;
}

} // namespace

ExprId Parser::integer(std::uint64_t value, Type type, std::uint32_t token) {
    Expr e;
    e.kind = ExprKind::integer;
    e.type = type;
    e.token = token;
    e.constant = value;
    return add(e);
}

ExprId Parser::number() {
    const std::uint32_t token = advance();
    const std::string_view text = tree_.tokens[token].text;
    const bool hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    const bool floating = text.find('.') != std::string_view::npos ||
                          text.find_first_of(hex ? "pP" : "eE") != std::string_view::npos ||
                          (!hex && ends_with_any(text, "hH"));
    return floating ? floating_literal(token, text) : integer_literal(token, text);
}

ExprId Parser::integer_literal(std::uint32_t token, std::string_view text) {
    std::string_view digits = text;
    std::string suffix;
    while (ends_with_any(digits, "uUlL")) {
        suffix.insert(suffix.begin(), static_cast<char>(digits.back() | 0x20));
        digits.remove_suffix(1);
    }
    unsigned base = 10;
    if (digits.size() > 1 && digits[0] == '0') {
        const char c = static_cast<char>(digits[1] | 0x20);
        base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
        digits.remove_prefix(base == 8 ? 1 : 2);
    }
    const bool good_suffix = suffix.empty() || suffix == "u" || suffix == "l" || suffix == "ul" ||
                             suffix == "lu" || suffix == "ll" || suffix == "ull" || suffix == "llu";
    if (!good_suffix || digits.empty()) {
        error(token, translate::quoted(text) + " is not a number");
        return bad(token);
    }
    std::uint64_t value = 0;
    for (const char c : digits) {
        const auto digit = digit_of(c);
        if (!digit || *digit >= base) {
            error(token, translate::quoted(std::string_view(&c, 1)) + " is no digit of the number " +
                             translate::quoted(text));
            return bad(token);
        }
        if (value > (~std::uint64_t{0} - *digit) / base) {
            error(token, "the number " + std::string(text) + " does not fit into 64 bits");
            return bad(token);
        }
        value = value * base + *digit;
    }
    const bool is_unsigned = suffix.find('u') != std::string::npos;
    const bool is_long = suffix.find('l') != std::string::npos;
    TypeKind kind = TypeKind::ulong;
    if (!is_long && !is_unsigned && value <= 0x7fffffff) {
        kind = TypeKind::int_;
    } else if (!is_long && (is_unsigned || base != 10) && value <= 0xffffffff) {
        kind = TypeKind::uint;
    } else if (!is_unsigned && value <= 0x7fffffffffffffff) {
        kind = TypeKind::long_;
    } else if (!is_unsigned && base == 10) {
        warning(token, "the number " + std::string(text) + " fits into no signed type, so it is unsigned");
    }
    return integer(value, Types::basic(kind), token);
}

ExprId Parser::floating_literal(std::uint32_t token, std::string_view text) {
    std::string_view digits = text;
    const bool hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    TypeKind kind = TypeKind::double_;
    if (ends_with_any(digits, "fF") && (!hex || digits.find_first_of("pP") != std::string_view::npos)) {
        kind = TypeKind::float_;
        digits.remove_suffix(1);
    } else if (ends_with_any(digits, "hH")) {
        kind = TypeKind::half;
        digits.remove_suffix(1);
    }
    double value = 0;
    std::string_view body = digits;
    body.remove_prefix(hex ? 2 : 0);
    const auto format = hex ? std::chars_format::hex : std::chars_format::general;
    const auto [end, problem] = std::from_chars(body.data(), body.data() + body.size(), value, format);
    if (problem == std::errc::result_out_of_range) {
        // As in other compilers, a value that is too large becomes infinity, and one that is too small
        // becomes zero.
        const std::size_t exponent = body.find_first_of(hex ? "pP" : "eE");
        const bool small = exponent != std::string_view::npos && body[exponent + 1] == '-';
        value = small ? 0 : HUGE_VAL;
        warning(token, "the number " + std::string(text) +
                           (small ? " is too small for its type" : " is too large for its type"));
    } else if (problem != std::errc() || end != body.data() + body.size() ||
               (hex && body.find_first_of("pP") == std::string_view::npos)) {
        error(token, translate::quoted(text) + " is not a number");
        return bad(token);
    }
    if (kind == TypeKind::double_ && !options_.fp64) {
        warning(token, "the device has no double, so " + std::string(text) + " is a float");
        kind = TypeKind::float_;
    }
    if (kind == TypeKind::float_) {
        float narrow = 0;
        static_cast<void>(std::from_chars(body.data(), body.data() + body.size(), narrow, format));
        value = problem == std::errc() && std::abs(value) <= 3.4028235677973366e38
                    ? static_cast<double>(narrow)
                    : value;
    }
    Expr e;
    e.kind = ExprKind::floating;
    e.type = Types::basic(kind);
    e.token = token;
    e.constant = std::bit_cast<std::uint64_t>(value);
    return add(e);
}

std::string Parser::unescaped(std::uint32_t token) {
    std::string_view text = tree_.tokens[token].text;
    text.remove_prefix(1);
    text.remove_suffix(text.empty() ? 0 : 1);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        const char c = text[++i];
        constexpr std::string_view letters = "abfnrtve";
        constexpr std::string_view codes = "\a\b\f\n\r\t\v\x1b";
        if (c == 'x') {
            unsigned value = 0;
            while (i + 1 < text.size() && digit_of(text[i + 1])) {
                value = (value * 16 + *digit_of(text[++i])) & 0xff;
            }
            out += static_cast<char>(value);
        } else if (c >= '0' && c <= '7') {
            unsigned value = static_cast<unsigned>(c - '0');
            for (int n = 0; n < 2 && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '7'; ++n) {
                value = value * 8 + static_cast<unsigned>(text[++i] - '0');
            }
            out += static_cast<char>(value & 0xff);
        } else if (letters.find(c) != std::string_view::npos) {
            out += codes[letters.find(c)];
        } else {
            out += c;
        }
    }
    return out;
}

ExprId Parser::character() {
    const std::uint32_t token = advance();
    const std::string text = unescaped(token);
    if (text.empty()) {
        error(token, "a character constant needs a character");
        return bad(token);
    }
    std::uint64_t value = 0;
    for (const char c : text) {
        value = text.size() == 1
                    ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<signed char>(c)))
                    : (value << 8) | static_cast<unsigned char>(c);
    }
    return integer(truncated(value, Types::basic(TypeKind::int_)), Types::basic(TypeKind::int_), token);
}

ExprId Parser::string() {
    const std::uint32_t token = advance();
    std::string text = unescaped(token);
    while (peek().kind == translate::TokenKind::string) {
        text += unescaped(advance());
    }
    Expr e;
    e.kind = ExprKind::string;
    e.token = token;
    e.lvalue = true;
    e.index = static_cast<std::uint32_t>(tree_.strings.size());
    e.type = types_.array(Types::basic(TypeKind::char_).in(Space::constant), text.size() + 1);
    tree_.strings.push_back(std::move(text));
    return add(e);
}

} // namespace ferry::opencl_c
