// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source_location.hpp>

#include <string>
#include <string_view>

namespace ferry::detail {

/// Appends a location to `words`: ", enqueued" becomes ", enqueued at main.cpp:12". Without a line, as for
/// calls through the C interface, it names the function: ", enqueued by ferry_queue_launch()". Empty if
/// neither is known.
inline std::string location_text(std::string words, const SourceLocation& where) {
    const std::string_view function = where.function_name();
    if (where.line() == 0 && function.empty()) {
        return {};
    }
    words += where.line() != 0 ? std::string(" at ") + where.file_name() + ":" + std::to_string(where.line())
                               : " by " + std::string(function) + "()";
    return words;
}

} // namespace ferry::detail
