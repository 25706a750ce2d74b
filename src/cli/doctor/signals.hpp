// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding.hpp"

#include <array>
#include <csignal>
#include <string>

namespace cli::doctor {

/// A snapshot of the signal handlers of this process.
class SignalHandlers {
public:
    SignalHandlers();
    /// Returns a note if handlers have changed since the snapshot, with the signals and the files of the new
    /// handlers. `subject`: the backend that was opened in the meantime.
    Findings changes(const std::string& subject) const;

private:
    std::array<struct sigaction, NSIG> actions_{};
};

} // namespace cli::doctor
