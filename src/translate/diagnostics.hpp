// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "token.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// 'text', the form of source text in messages.
inline std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

enum class Severity : std::uint8_t { note, warning, error };

struct Diagnostic {
    Severity severity = Severity::error;
    Position at;
    std::string message; ///< A sentence without the final stop, as in compilers.
};

/// The messages of the stages about a text. Errors and warnings have separate limits, so that many warnings
/// hide no error. At the limit of errors a stage should stop.
class Diagnostics {
public:
    static constexpr std::size_t limit = 20;

    void error(Position at, std::string message) { add({Severity::error, at, std::move(message)}); }
    void warning(Position at, std::string message) { add({Severity::warning, at, std::move(message)}); }
    void add(Diagnostic diagnostic) {
        std::size_t& count = counts_[static_cast<std::size_t>(diagnostic.severity)];
        if (++count <= limit) {
            list_.push_back(std::move(diagnostic));
        }
    }
    bool failed() const noexcept { return errors() != 0; }
    bool full() const noexcept { return errors() >= limit; }
    const std::vector<Diagnostic>& list() const noexcept { return list_; }
    /// For each message "saxpy.cl:3:12: error: message", then the line and a caret under the place.
    std::string text(const Files& files) const;

private:
    std::size_t errors() const noexcept { return counts_[static_cast<std::size_t>(Severity::error)]; }

    std::vector<Diagnostic> list_;
    std::array<std::size_t, 3> counts_{}; ///< Of each severity, including those beyond the limit.
};

} // namespace ferry::translate
