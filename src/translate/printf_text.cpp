// SPDX-License-Identifier: Apache-2.0
#include "printf_text.hpp"

#include "printf_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

namespace ferry::translate {
namespace {

/// The parts of a converted number.
struct Number {
    std::string sign;   ///< Also the prefix of its base.
    std::string digits; ///< All that follows.
    bool takes_zeros = true;
};

bool has(const PrintPiece& c, char flag) {
    return c.flags.find(flag) != std::string_view::npos;
}

std::string sign_of(const PrintPiece& c, bool negative) {
    return negative ? "-" : has(c, '+') ? "+" : has(c, ' ') ? " " : "";
}

std::string padded(const PrintPiece& c, const Number& n) {
    const std::size_t length = n.sign.size() + n.digits.size();
    const std::size_t missing = c.width > length ? c.width - length : 0;
    if (has(c, '-')) {
        return n.sign + n.digits + std::string(missing, ' ');
    }
    return has(c, '0') && n.takes_zeros ? n.sign + std::string(missing, '0') + n.digits
                                        : std::string(missing, ' ') + n.sign + n.digits;
}

void capitalise(std::string& text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
}

/// The bits that a conversion of an integer prints, of a value with `bytes` bytes.
unsigned bits_of(const PrintPiece& c, unsigned bytes) {
    return c.length == "hh"                       ? 8
           : c.length == "h"                      ? 16
           : c.length.empty() || c.length == "hl" ? 32
                                                  : 8 * bytes;
}

Number integer(const PrintPiece& c, std::uint64_t bits, unsigned bytes) {
    const unsigned unused = 64 - bits_of(c, bytes);
    std::uint64_t magnitude = bits << unused >> unused;
    Number made;
    if (c.letter == 'd' || c.letter == 'i') {
        const bool negative = static_cast<std::int64_t>(bits << unused) < 0;
        made.sign = sign_of(c, negative);
        magnitude = negative ? (0 - (bits << unused)) >> unused : magnitude;
    }
    const int base = c.letter == 'o' ? 8 : c.letter == 'x' || c.letter == 'X' ? 16 : 10;
    std::array<char, 24> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), magnitude, base);
    made.digits.assign(text.data(), end.ptr);
    if (c.precision) {
        made.digits = magnitude == 0 ? "" : made.digits;
        made.digits.insert(0, *c.precision - std::min<std::size_t>(*c.precision, made.digits.size()), '0');
        made.takes_zeros = false;
    }
    if (has(c, '#') && base == 8 && !made.digits.starts_with('0')) {
        made.digits.insert(0, 1, '0');
    }
    if (has(c, '#') && base == 16 && magnitude != 0) {
        made.sign = "0x";
    }
    if (c.letter == 'X') {
        capitalise(made.sign);
        capitalise(made.digits);
    }
    return made;
}

std::string digits_of(double value, std::chars_format form, std::optional<unsigned> precision) {
    std::string text(400 + precision.value_or(0),
                     '\0'); // The longest double has 309 digits before the point.
    char* const end = text.data() + text.size();
    const auto result = precision ? std::to_chars(text.data(), end, value, form, static_cast<int>(*precision))
                                  : std::to_chars(text.data(), end, value, form);
    text.resize(static_cast<std::size_t>(result.ptr - text.data()));
    return text;
}

/// A conversion by %#g, which keeps the zeros at the end.
std::string all_digits(double value, unsigned precision) {
    const unsigned significant = std::max(precision, 1U);
    const std::string scientific = digits_of(value, std::chars_format::scientific, significant - 1);
    int exponent = 0;
    const char* const first = scientific.data() + scientific.find('e') + 1;
    std::from_chars(*first == '+' ? first + 1 : first, scientific.data() + scientific.size(), exponent);
    return exponent < -4 || exponent >= static_cast<int>(significant)
               ? scientific
               : digits_of(value, std::chars_format::fixed,
                           static_cast<unsigned>(static_cast<int>(significant) - 1 - exponent));
}

Number real(const PrintPiece& c, double value) {
    const char small = static_cast<char>(c.letter | 0x20);
    Number made;
    made.sign = sign_of(c, std::signbit(value));
    const double magnitude = std::fabs(value);
    if (!std::isfinite(magnitude)) {
        made.digits = std::isnan(magnitude) ? "nan" : "inf";
        made.takes_zeros = false;
    } else if (small == 'a') {
        made.sign += "0x";
        made.digits = digits_of(magnitude, std::chars_format::hex, c.precision);
    } else {
        const unsigned precision = c.precision.value_or(6);
        made.digits = small == 'f'   ? digits_of(magnitude, std::chars_format::fixed, precision)
                      : small == 'e' ? digits_of(magnitude, std::chars_format::scientific, precision)
                      : has(c, '#')  ? all_digits(magnitude, precision)
                                     : digits_of(magnitude, std::chars_format::general, precision);
    }
    if (has(c, '#') && std::isfinite(magnitude) && made.digits.find('.') == std::string::npos) {
        made.digits.insert(std::min(made.digits.find(small == 'a' ? 'p' : 'e'), made.digits.size()), 1, '.');
    }
    if (c.letter != small) {
        capitalise(made.sign);
        capitalise(made.digits);
    }
    return made;
}

std::string component(const PrintPiece& c, std::uint64_t bits, unsigned bytes) {
    switch (c.letter) {
    case 'c':
        return padded(c, {"", std::string(1, static_cast<char>(bits)), false});
    case 'p': {
        PrintPiece as_number = c;
        as_number.letter = 'x';
        as_number.flags = has(c, '-') ? "-#" : "#";
        as_number.length = "l";
        return padded(c, bits == 0 ? Number{"", "(nil)", false} : integer(as_number, bits, 8));
    }
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        return padded(c, integer(c, bits, bytes));
    default:
        return padded(c, real(c, bytes == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                                            : std::bit_cast<double>(bits)));
    }
}

} // namespace

std::string printf_text(std::string_view format, std::span<const PrintValue> values) {
    std::string made;
    std::size_t next = 0;
    for (const PrintPiece& piece : print_pieces(format)) {
        if (piece.letter == '%') {
            made += '%';
        } else if (!is_conversion(piece) || next == values.size()) {
            made += piece.text;
        } else if (const PrintValue& value = values[next++]; piece.letter == 's') {
            const std::string_view text = value.text.substr(0, value.text.find('\0'));
            made += padded(piece,
                           {"", std::string(text.substr(0, piece.precision.value_or(text.size()))), false});
        } else {
            for (std::size_t i = 0; i < value.lanes.size(); ++i) {
                made += (i == 0 ? "" : ",") + component(piece, value.lanes[i], value.bytes);
            }
        }
    }
    return made;
}

} // namespace ferry::translate
