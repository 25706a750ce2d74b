// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ferry::detail {

/// A program to start, or a function to run in a copy of this process.
struct ProcessStart {
    std::string program = {}; ///< a path; PATH is not searched
    std::vector<std::string> arguments = {};
    const std::vector<std::string>* environment = nullptr; ///< "NAME=value"; null: that of this process
    /// Instead of a program: fork() makes a copy of this process, which calls the function on its only thread
    /// and ends with status 0 once it returns. Locks that other threads hold at that moment stay held in the
    /// copy.
    std::function<void()> function = {};
    /// Descriptors that become 0, 1 and 2 of the process; -1: /dev/null, only for reading as input.
    int input = -1;
    int output = -1;
    int errors = -1;
    /// A process group of its own: kill() reaches its children too, Ctrl-C in a terminal does not.
    bool own_group = false;
};

/// A child process. It inherits no other descriptor, no blocked signal, and the default action for each
/// signal. The signal handlers of this process are not changed. Not thread-safe.
class Process {
public:
    /// Starts it. Never throws; see error().
    explicit Process(const ProcessStart& start);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    /// The caller has waited for the process.
    ~Process() = default;

    /// 0 if it was started, else a number of errno.
    int error() const noexcept { return error_; }
    /// Whether it has ended or this process has no such child any more. Does not block and does not reap it.
    bool has_ended() const noexcept;
    /// Ends it with SIGKILL, with its group if it has one of its own, also when only the group is left. Does
    /// nothing once this program has reaped it elsewhere, because its number may be another process's then.
    void kill() const noexcept;
    /// Blocks until it has ended; its status as waitpid() gives it. Nothing if this process ignores SIGCHLD,
    /// has SA_NOCLDWAIT set, or has a handler that reaps all children: the status is lost then, and other
    /// evidence must say how it went.
    std::optional<int> wait() const noexcept;

private:
    enum class State : std::uint8_t { running, ended, reaped };
    State state() const noexcept;

    pid_t child_ = 0;
    int error_ = 0;
    bool own_group_ = false;
};

/// Whether the status of every child of this process is lost, because SIGCHLD is ignored or has SA_NOCLDWAIT.
bool loses_child_status() noexcept;

/// "ended by signal 11", "ended with status 2"; without a status "ended (its status is not known ...)".
std::string status_text(const std::optional<int>& status);

} // namespace ferry::detail
