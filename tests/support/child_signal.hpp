// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

namespace child_signal {

/// The possible treatments of SIGCHLD in a program.
inline constexpr std::array<const char*, 4> modes{"default", "ignored", "no zombies", "reaped"};

/// Sets this process's treatment of SIGCHLD during the lifetime of the object.
class Treated {
public:
    explicit Treated(const std::string& mode) : mode_(mode) {
        struct sigaction action {};
        action.sa_handler = mode == "ignored" ? SIG_IGN : mode == "reaped" ? reap : SIG_DFL;
        action.sa_flags = mode == "no zombies" ? SA_NOCLDWAIT : SA_RESTART;
        sigaction(SIGCHLD, &action, &before_);
    }
    Treated(const Treated&) = delete;
    Treated& operator=(const Treated&) = delete;
    ~Treated() { sigaction(SIGCHLD, &before_, nullptr); }

    /// Whether a waiting parent certainly gets the status of a child. A handler that reaps children may run
    /// before or after the wait.
    bool keeps_status() const { return mode_ == "default"; }
    bool loses_status() const { return mode_ == "ignored" || mode_ == "no zombies"; }

private:
    static void reap(int) {
        const int before = errno;
        int status = 0;
        while (waitpid(-1, &status, WNOHANG) > 0) {
        }
        errno = before;
    }

    struct sigaction before_ {};
    std::string mode_;
};

} // namespace child_signal
