// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::translate {

/// Removes and returns a line of the text, with those that a \ at its end joins to it, and without the last
/// one's line end. `lines`: their number.
std::string_view take_line(std::string_view& text, std::size_t& lines);

/// The line without comments and joints; <a//b> after #include has none. `comment`: whether it begins within
/// a comment; set to whether it ends within one.
std::string code_of(std::string_view line, bool& comment);

/// The text after the directive's name. Empty for other lines.
std::optional<std::string_view> directive(std::string_view code, std::string_view name);

/// The identifier or number at the beginning of the text, after spaces; it is removed.
std::string_view take_word(std::string_view& text);

std::string_view trimmed(std::string_view text); ///< Without leading and trailing spaces.

} // namespace ferry::translate
