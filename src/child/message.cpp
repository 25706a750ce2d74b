// SPDX-License-Identifier: Apache-2.0
#include "child/message.hpp"

#include "child/mark.hpp"

namespace ferry::detail::child_run {

std::string greeting() {
    return std::string("litmus 6 ") + version();
}

std::string_view next_part(std::string_view& text, char end) noexcept {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

} // namespace ferry::detail::child_run
