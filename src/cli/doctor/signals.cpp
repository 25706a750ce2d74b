// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include "system/shared_library.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace cli::doctor {
namespace {

void* handler_of(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<void*>(action.sa_sigaction)
                                               : reinterpret_cast<void*>(action.sa_handler);
}

std::string place_of(const struct sigaction& action) {
    void* const handler = handler_of(action);
    if (handler == reinterpret_cast<void*>(SIG_IGN)) {
        return "ignored";
    }
    const std::string file = ferry::detail::file_with(handler);
    return file.empty() ? "code of no file" : file;
}

std::string name_of(int signal) {
    const char* const name = sigabbrev_np(signal);
    return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

} // namespace

SignalHandlers::SignalHandlers() {
    for (int signal = 1; signal < NSIG; ++signal) {
        sigaction(signal, nullptr, &actions_[static_cast<std::size_t>(signal)]);
    }
}

Findings SignalHandlers::changes(const std::string& subject) const {
    const SignalHandlers now;
    std::string names;
    std::string places;
    for (int signal = 1; signal < NSIG; ++signal) {
        const struct sigaction& action = now.actions_[static_cast<std::size_t>(signal)];
        if (handler_of(action) == handler_of(actions_[static_cast<std::size_t>(signal)])) {
            continue;
        }
        names += (names.empty() ? "" : ", ") + name_of(signal);
        if (const std::string place = place_of(action); places.find(place) == std::string::npos) {
            places += (places.empty() ? "" : ", ") + place;
        }
    }
    if (names.empty()) {
        return {};
    }
    return {{Severity::note, "signals", subject,
             "Its libraries installed handlers of " + names + " (" + places + ").",
             "No action is needed unless the program handles these signals. If it does, install its handlers "
             "after the first device was requested."}};
}

} // namespace cli::doctor
