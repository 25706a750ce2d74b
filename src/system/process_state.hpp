// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <locale>
#include <optional>
#include <string>
#include <vector>

namespace ferry::detail {

/// While it lives, the calling thread has the default floating-point environment, which the threads that a
/// driver starts inherit. Its end restores the state of the process and of the calling thread that a vendor
/// library changes while it is opened and initialised: locale, signal mask, floating-point environment
/// (rounding, flush to zero, traps), file mode mask, working directory, soft limits of resources, and
/// environment variables that it removed. Signal handlers stay as the library set them. Restores only changed
/// state. The floating-point environment and the signal mask are those of the calling thread.
class ProcessState {
public:
    ProcessState();
    ProcessState(const ProcessState&) = delete;
    ProcessState& operator=(const ProcessState&) = delete;
    ~ProcessState();

private:
    std::string names_; ///< Of the C library's locale.
    locale_t of_thread_;
    std::locale of_streams_;
    sigset_t signals_{};
    std::fenv_t arithmetic_{};
    std::optional<mode_t> mask_; ///< Empty without /proc.
    int folder_;
    std::array<rlimit, RLIM_NLIMITS> limits_{};
    std::vector<std::string> variables_; ///< "NAME=value"
};

} // namespace ferry::detail
