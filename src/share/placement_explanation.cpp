// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "base/wrapped.hpp"
#include "share/placement.hpp"

#include <ferry/placement.hpp>

#include <ostream>
#include <string_view>

namespace ferry {

namespace {

std::string summary(const Explanation& e) {
    return std::string(to_string(e.taken)) + ": " + e.why + "; " + detail::in_bytes(e.bytes_up) + " up and " +
           detail::in_bytes(e.bytes_down) + " down in " + std::to_string(e.copies) +
           (e.copies == 1 ? " copy" : " copies");
}

std::string row(std::string_view placement, const std::string& predicted, const std::string& measured,
                std::string_view reason) {
    const auto cell = [](std::string_view text, std::size_t width) {
        return std::string(text) + std::string(text.size() < width ? width - text.size() : 1, ' ');
    };
    const std::string cells = "  " + cell(placement, 11) + cell(predicted, 11) + cell(measured, 11);
    return "\n" + cells + detail::wrapped(reason, cells.size(), cells.size());
}

std::string row(Placement placement, double built_in, double seconds, bool measured,
                std::string_view reason) {
    const auto time = [](double value, bool known) {
        return known && value > 0 ? detail::placement::in_time(value) : std::string("-");
    };
    return row(to_string(placement), time(built_in, true), time(seconds, measured), reason);
}

} // namespace

std::string one_line(const Explanation& e) {
    std::string text = summary(e);
    for (const Rejected& other : e.rejected) {
        text += "; " + std::string(to_string(other.placement)) + " rejected: " + other.why;
    }
    return text;
}

std::string to_string(const Explanation& e) {
    std::string text = detail::wrapped(summary(e), 0, 2) +
                       row("placement", "predicted", "measured", "reason") +
                       row(e.taken, e.built_in_seconds, e.predicted_seconds, e.measured, "taken");
    for (const Rejected& other : e.rejected) {
        text += row(other.placement, other.built_in_seconds, other.predicted_seconds, other.measured,
                    other.slower ? "slower" : other.why);
    }
    for (const std::string& hint : e.hints) {
        text += "\n" + detail::wrapped("  hint: " + hint, 0, 8);
    }
    return text;
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
    return out << to_string(explanation);
}

} // namespace ferry
