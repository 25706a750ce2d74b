// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding.hpp"

#include <array>
#include <csignal>
#include <string>

namespace cli::doctor {

/// The signal handlers of this process at one time.
class SignalHandlers {
public:
    SignalHandlers();
    /// A note if handlers were changed since: the signals, and the files that hold the new handlers.
    /// `subject`: the backend that was opened meanwhile.
    Findings changes(const std::string& subject) const;

private:
    std::array<struct sigaction, NSIG> actions_{};
};

} // namespace cli::doctor
