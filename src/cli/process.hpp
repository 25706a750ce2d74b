// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ProcessResult {
    int status = 0; ///< The status of waitpid(). main() ensures that it is not lost.
    std::string output;
    std::string errors; ///< Its standard error, followed by the signal that ended it, if any.
    bool late = false;  ///< It was killed because its time was over.
};

/// The supervision of a running program.
struct Watch {
    /// The program is killed if it prints nothing for this time, or does not end within this time after its
    /// last output. Zero: no limit.
    std::chrono::milliseconds limit{};
    /// If set, receives the standard output as it arrives.
    std::function<void(std::string_view)> output;
    /// If set, called several times a second with the time since the last output.
    std::function<void(std::chrono::milliseconds)> waiting;
};

/// Runs a program with these arguments and this process's environment. Blocks until it has ended. If the
/// limit is exceeded, kills it and all processes that it started. Does not wait for processes that it leaves
/// behind. With a limit, the program gets its own process group, which does not receive Ctrl-C from a
/// terminal. Throws std::runtime_error if the program cannot be started.
ProcessResult run_process(std::vector<std::string> words, const Watch& watch = {});

} // namespace cli
