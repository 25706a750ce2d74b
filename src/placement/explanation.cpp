// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <ferry/placement.hpp>

#include <ostream>

namespace ferry {

std::string to_string(const Explanation& e) {
    std::string text(to_string(e.taken));
    text += ": " + e.why + "; " + detail::in_bytes(e.bytes_up) + " up and " + detail::in_bytes(e.bytes_down) +
            " down in " + std::to_string(e.copies) + (e.copies == 1 ? " copy" : " copies");
    for (const Rejected& other : e.rejected) {
        text += "; " + std::string(to_string(other.placement)) + " rejected: " + other.why;
    }
    for (const std::string& hint : e.hints) {
        text += "\n  hint: " + hint;
    }
    return text;
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
    return out << to_string(explanation);
}

} // namespace ferry
