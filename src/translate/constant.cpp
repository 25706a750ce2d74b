// SPDX-License-Identifier: Apache-2.0
// The constants of #if.
#include "condition.hpp"

namespace ferry::translate {
namespace {

int digit_value(char c) noexcept {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char low = static_cast<char>(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : 99;
}

/// "u", "l", "ll", "ul", "llu" and so on, in either case.
bool read_suffix(std::string_view suffix, bool& is_unsigned) noexcept {
    const auto take = [&](std::string_view a, std::string_view b) {
        const bool found = suffix.starts_with(a) || suffix.starts_with(b);
        suffix.remove_prefix(found ? a.size() : 0);
        return found;
    };
    is_unsigned = take("u", "U");
    static_cast<void>(take("ll", "LL") || take("l", "L"));
    is_unsigned = is_unsigned || take("u", "U");
    return suffix.empty();
}

std::int64_t escape(std::string_view& text) noexcept {
    const char c = text.front();
    text.remove_prefix(1);
    switch (c) {
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    default:
        break;
    }
    std::uint64_t value = 0;
    if (c == 'x') {
        while (!text.empty() && digit_value(text.front()) < 16) {
            value = value << 4 | static_cast<std::uint64_t>(digit_value(text.front()));
            text.remove_prefix(1);
        }
        return static_cast<std::int64_t>(value);
    }
    if (digit_value(c) >= 8) {
        return static_cast<unsigned char>(c);
    }
    value = static_cast<std::uint64_t>(digit_value(c));
    for (int i = 0; i < 2 && !text.empty() && digit_value(text.front()) < 8; ++i) {
        value = value << 3 | static_cast<std::uint64_t>(digit_value(text.front()));
        text.remove_prefix(1);
    }
    return static_cast<std::int64_t>(value);
}

} // namespace

Integer integer_value(std::string_view text) {
    Integer result;
    unsigned base = 10;
    if (text.size() > 1 && text[0] == '0') {
        const char second = static_cast<char>(text[1] | 0x20);
        base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
        text.remove_prefix(base == 8 ? 1 : 2);
        if (base != 8 && text.empty()) {
            result.error = "is no number";
            return result;
        }
    }
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        const int digit = digit_value(text[i]);
        if (digit >= static_cast<int>(base)) {
            break;
        }
        const std::uint64_t limit = (~std::uint64_t{0} - static_cast<std::uint64_t>(digit)) / base;
        if (result.bits > limit) {
            result.error = "does not fit 64 bits";
            return result;
        }
        result.bits = result.bits * base + static_cast<std::uint64_t>(digit);
    }
    const std::string_view suffix = text.substr(i);
    if (!read_suffix(suffix, result.is_unsigned)) {
        const bool floating = suffix.find_first_of(".eEpPfF") != std::string_view::npos;
        result.error = floating ? "is no integer" : "is no number";
    }
    result.is_unsigned = result.is_unsigned || result.bits >> 63 != 0;
    return result;
}

std::optional<std::int64_t> character_value(std::string_view text) {
    const bool wide = text.starts_with("L");
    text.remove_prefix(wide ? 2 : 1);
    if (text.size() < 2 || text.back() != '\'') {
        return std::nullopt;
    }
    text.remove_suffix(1);
    std::uint32_t value = 0;
    std::size_t count = 0;
    while (!text.empty()) {
        std::int64_t one = static_cast<unsigned char>(text.front());
        const bool escaped = text.front() == '\\';
        text.remove_prefix(1);
        if (escaped && !text.empty()) {
            one = escape(text);
        }
        value =
            wide ? static_cast<std::uint32_t>(one) : value << 8 | (static_cast<std::uint32_t>(one) & 0xFFu);
        ++count;
    }
    if (!wide && count == 1) {
        return static_cast<signed char>(static_cast<unsigned char>(value));
    }
    return static_cast<std::int32_t>(value);
}

} // namespace ferry::translate
