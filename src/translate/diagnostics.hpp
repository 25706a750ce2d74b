// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "token.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ferry::translate {

enum class Severity : std::uint8_t { note, warning, error };

struct Diagnostic {
    Severity severity = Severity::error;
    Position at;
    std::string message; ///< a sentence without the final stop, as compilers write them
};

/// What the stages have to say about a text. Collecting stops at a limit; the stage should give up then.
class Diagnostics {
public:
    static constexpr std::size_t limit = 20;

    void error(Position at, std::string message) { add({Severity::error, at, std::move(message)}); }
    void warning(Position at, std::string message) { add({Severity::warning, at, std::move(message)}); }
    void add(Diagnostic diagnostic) {
        failed_ = failed_ || diagnostic.severity == Severity::error;
        if (list_.size() < limit) {
            list_.push_back(std::move(diagnostic));
        }
    }
    bool failed() const noexcept { return failed_; }
    bool full() const noexcept { return list_.size() >= limit; }
    const std::vector<Diagnostic>& list() const noexcept { return list_; }
    /// "saxpy.cl:3:12: error: message", then the line and a caret under the place, for each.
    std::string text(const Files& files) const;

private:
    std::vector<Diagnostic> list_;
    bool failed_ = false;
};

} // namespace ferry::translate
