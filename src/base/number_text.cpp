// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.hpp"

#include "base/decimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

namespace ferry::detail::staging {
namespace {

template <class Number, class... Form>
void add(std::string& text, char end, Number number, Form... form) {
    std::array<char, 32> word{};
    const auto last = std::to_chars(word.data(), word.data() + word.size(), number, form...).ptr;
    text.append(word.data(), last);
    text += end;
}

template <class Number, class... Form>
bool read(std::string_view& text, char end, Number& number, Form... form) {
    const auto got = std::from_chars(text.data(), text.data() + text.size(), number, form...);
    const auto length = static_cast<std::size_t>(got.ptr - text.data());
    if (got.ec != std::errc{} || length == text.size() || text[length] != end) {
        return false;
    }
    text.remove_prefix(length + 1);
    return true;
}

} // namespace

void add_number(std::string& text, unsigned long long number, char end) {
    add(text, end, number);
}
void add_number(std::string& text, unsigned number, char end) {
    add(text, end, number);
}
void add_number(std::string& text, double number, char end) {
    add(text, end, number, std::chars_format::hex);
}

bool read_number(std::string_view& text, char end, unsigned long long& number) {
    return read(text, end, number);
}
bool read_number(std::string_view& text, char end, unsigned& number) {
    return read(text, end, number);
}
bool read_number(std::string_view& text, char end, double& number) {
    return read(text, end, number, std::chars_format::hex) && std::isfinite(number);
}
bool read_rate(std::string_view& text, char end, double& rate) {
    return read_number(text, end, rate) && rate > 0;
}

std::string gigabytes(double bytes) {
    return decimal(bytes * 1e-9, 1);
}

} // namespace ferry::detail::staging
