// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace ferry::detail {

/// The text in lines of at most 120 columns, unless one word is longer. The first line begins in column
/// `start`. Further lines are indented by `indent` blanks. A column is one character of UTF-8.
inline std::string wrapped(std::string_view text, std::size_t start, std::size_t indent) {
    constexpr std::size_t columns = 120;
    std::string result;
    std::size_t column = start;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        const auto width = static_cast<std::size_t>(std::count_if(word.begin(), word.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        }));
        if (column > start && column + 1 + width > columns) {
            result += '\n' + std::string(indent, ' ');
            column = start = indent;
        } else if (at != 0) {
            result += ' ';
            ++column;
        }
        result += word;
        column += width;
        at = end + 1;
    }
    return result;
}

} // namespace ferry::detail
