// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::detail {

// Numbers as text, the same in every locale. printf(), strtod() and streams use the decimal point of the
// program's locale.

template <class... Format>
std::string number_text(double value, Format... format) {
    std::array<char, 512> text{}; // The longest double has 309 digits before the point.
    const auto result = std::to_chars(text.data(), text.data() + text.size(), value, format...);
    return {text.data(), result.ptr};
}

/// "540.0": with `digits` digits after the point, at most 100; like %.1f in the C locale.
inline std::string decimal(double value, int digits) {
    return number_text(value, std::chars_format::fixed, digits);
}
/// "12.3", "5.4e-07": with `digits` digits; like %.3g in the C locale.
inline std::string significant(double value, int digits) {
    return number_text(value, std::chars_format::general, digits);
}
/// The shortest text that reads as the same value.
inline std::string exact(double value) {
    return number_text(value);
}
/// "0x7f00"
inline std::string address_text(std::uintptr_t address) {
    std::array<char, 2 * sizeof address> text{};
    const auto result = std::to_chars(text.data(), text.data() + text.size(), address, 16);
    return "0x" + std::string(text.data(), result.ptr);
}
/// The number if the whole of `text` is one: a decimal integer that T can hold, or a floating point number as
/// exact() writes it. Otherwise empty.
template <class T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

} // namespace ferry::detail
