// SPDX-License-Identifier: Apache-2.0
#include "numbering.hpp"

#include "base/decimal.hpp"
#include "lines.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

std::string_view behind_sign(std::string_view code) {
    code = trimmed(code);
    return code.substr(std::min<std::size_t>(code.starts_with("%:") ? 2 : 1, code.size()));
}

// #line 12 or # 12; the following lines have these numbers.
bool sets_line(std::string_view code) {
    std::string_view rest = behind_sign(code);
    const std::string_view word = take_word(rest);
    return directive(code, word) && (word == "line" || word.find_first_of("0123456789") == 0);
}

} // namespace

bool begins_conditional(std::string_view code) {
    return directive(code, "if") || directive(code, "ifdef") || directive(code, "ifndef");
}

bool begins_group(std::string_view code) {
    return directive(code, "endif") || directive(code, "else") || directive(code, "elif") ||
           directive(code, "elifdef") || directive(code, "elifndef");
}

void Numbering::line(std::string_view code, std::size_t next, bool was_left_out, bool left_out) {
    if (begins_conditional(code)) {
        open_.push_back({now_, now_});
    } else if (begins_group(code) && !open_.empty()) {
        if (!was_left_out) {
            open_.back().last = now_;
        }
        now_ = open_.back().before;
        if (directive(code, "endif")) {
            now_ = std::move(open_.back().last);
            open_.pop_back();
        }
    } else if (!left_out && sets_line(code)) {
        set(code, next);
    }
}

void Numbering::set(std::string_view code, std::size_t next) {
    std::string_view rest = behind_sign(code);
    std::string_view word = take_word(rest);
    word = word == "line" ? take_word(rest) : word;
    const auto number = detail::parse_number<std::size_t>(word);
    if (!number) {
        return; // The value of a macro.
    }
    now_.more = *number - next;
    rest = trimmed(rest);
    if (rest.starts_with('"')) {
        now_.name = rest.substr(1, std::min(rest.find('"', 1), rest.size()) - 1);
    }
}

} // namespace ferry::translate
