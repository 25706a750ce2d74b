// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

namespace ferry::emit_cpp {

void Text::line(std::size_t indent) {
    text_ += '\n';
    start_ = text_.size();
    text_.append(4 * indent, ' ');
    lines_.emplace_back();
}

void Text::at(translate::Position position) {
    if (position.line != 0) {
        lines_.back().push_back({static_cast<std::uint32_t>(text_.size() - start_ + 1), position});
    }
}

void Text::append(const Text& other) {
    if (text_.size() != start_) {
        line();
    }
    lines_.pop_back();
    lines_.insert(lines_.end(), other.lines_.begin(), other.lines_.end());
    start_ = text_.size() + other.start_;
    text_ += other.text_;
}

} // namespace ferry::emit_cpp
