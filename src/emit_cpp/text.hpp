// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/translate.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ferry::emit_cpp {

/// C++ that is being written, with the origin of its parts.
class Text {
public:
    /// Appends a text without line ends.
    void put(std::string_view text) { text_ += text; }
    /// Ends the line and indents the next one.
    void line(std::size_t indent = 0);
    /// The following text comes from this position.
    void at(translate::Position position);
    /// Appends another text, which begins on a line of its own.
    void append(const Text& other);

    const std::string& text() const noexcept { return text_; }
    const std::vector<std::vector<translate::Mapping>>& lines() const noexcept { return lines_; }

private:
    std::string text_;
    std::size_t start_ = 0; ///< Of the current line.
    std::vector<std::vector<translate::Mapping>> lines_{1};
};

} // namespace ferry::emit_cpp
