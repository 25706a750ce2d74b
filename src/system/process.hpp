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
    std::string program = {}; ///< A path. PATH is not searched.
    std::vector<std::string> arguments = {};
    const std::vector<std::string>* environment = nullptr; ///< "NAME=value". Null: the environment of this
                                                           ///< process.
    /// Used instead of a program: fork() makes a copy of this process, which calls the function on its only
    /// thread and ends with status 0 when it returns. Locks that other threads hold at that moment stay held
    /// in the copy.
    std::function<void()> function = {};
    /// Descriptors that become 0, 1 and 2 of the process. -1: /dev/null, only for reading as input.
    int input = -1;
    int output = -1;
    int errors = -1;
    /// A separate process group: kill() reaches its children too, Ctrl-C in a terminal does not.
    bool own_group = false;
};

/// A child process. It inherits no other descriptor and no blocked signal, and has the default action for
/// each signal. The signal handlers of this process are not changed. Not thread-safe.
class Process {
public:
    /// Starts it. Never throws; see error().
    explicit Process(const ProcessStart& start);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    /// The caller has waited for the process.
    ~Process() = default;

    /// 0 if it was started, otherwise an errno value.
    int error() const noexcept { return error_; }
    /// Whether it has ended, or this process no longer has such a child. Does not block and does not reap it.
    bool has_ended() const noexcept;
    /// Ends it with SIGKILL, with its group if it has a separate one, even if only the group remains. Does
    /// nothing if this program has reaped it elsewhere, because its number may belong to another process
    /// then.
    void kill() const noexcept;
    /// Blocks until it has ended. Returns the status of waitpid(). Empty if this process ignores SIGCHLD, has
    /// SA_NOCLDWAIT set, or has a handler that reaps all children: the status is lost then, and the caller
    /// needs other evidence of the result.
    std::optional<int> wait() const noexcept;

private:
    enum class State : std::uint8_t { running, ended, reaped };
    State state() const noexcept;

    pid_t child_ = 0;
    int error_ = 0;
    bool own_group_ = false;
};

/// The path of this program, even if /proc is not mounted.
std::string own_program();

/// Whether the status of every child of this process is lost, because SIGCHLD is ignored or has SA_NOCLDWAIT.
bool loses_child_status() noexcept;

/// From a status of Process::wait(). The number of the signal that ended the process; 0 if none did.
int ending_signal(int status) noexcept;
/// The exit code; empty if a signal ended the process.
std::optional<int> exit_code(int status) noexcept;
/// "ended by signal 11", "ended with status 2"; without a status "ended (its status is not known ...)".
std::string status_text(const std::optional<int>& status);

} // namespace ferry::detail
