// SPDX-License-Identifier: Apache-2.0
#include "printf_format.hpp"

namespace ferry::translate {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The replacement of one conversion. `at` moves from after the % to after the conversion.
std::string conversion(std::string_view format, std::size_t& at, bool& vectors) {
    constexpr std::string_view flags = "-+ #0.";
    std::string front = "%";
    while (at < format.size() && (flags.find(format[at]) != std::string_view::npos || is_digit(format[at]))) {
        front += format[at++];
    }
    if (at >= format.size() || format[at] != 'v') {
        return front;
    }
    ++at;
    std::size_t width = 0;
    while (at < format.size() && is_digit(format[at]) && width < 100) {
        width = width * 10 + static_cast<std::size_t>(format[at++] - '0');
    }
    std::string length;
    while (at < format.size() && (format[at] == 'h' || format[at] == 'l')) {
        length += format[at++];
    }
    const char letter = at < format.size() ? format[at++] : ' ';
    const std::string one = front + (length == "hl" ? "" : length) + letter;
    std::string all = one;
    for (std::size_t i = 1; i < width; ++i) {
        all += "," + one;
    }
    vectors = true;
    return all;
}

} // namespace

std::string printf_format(std::string_view format, bool& vectors) {
    std::string made;
    for (std::size_t c = 0; c < format.size();) {
        if (format[c] != '%') {
            made += format[c++];
        } else if (c + 1 < format.size() && format[c + 1] == '%') {
            made += "%%";
            c += 2;
        } else {
            made += conversion(format, ++c, vectors);
        }
    }
    return made;
}

} // namespace ferry::translate
