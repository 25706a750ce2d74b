// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::translate {

/// Takes a line off the text, with those that a \ at its end joins to it, and without the last one's end.
/// `lines`: how many they are.
std::string_view take_line(std::string_view& text, std::size_t& lines);

/// The line without comments and joints; <a//b> behind #include has none. `comment`: whether it begins, and
/// then whether it ends within one.
std::string code_of(std::string_view line, bool& comment);

/// What stands behind the directive's name; nothing for other lines.
std::optional<std::string_view> directive(std::string_view code, std::string_view name);

/// The identifier or number that the text begins with, behind spaces; it is taken off.
std::string_view take_word(std::string_view& text);

std::string_view trimmed(std::string_view text); ///< without spaces in front and behind

} // namespace ferry::translate
