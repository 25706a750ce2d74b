// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ProcessResult {
    int status = 0; ///< as waitpid() gives it; main() sees to it that it is not lost
    std::string output;
    std::string errors; ///< its standard error, and how it ended if it was not by itself
    bool late = false;  ///< it was ended because its time was up
};

/// The path of this program, also where /proc is not mounted.
std::string own_program();

/// How a program is watched while it runs.
struct Watch {
    /// It is killed if it prints nothing for this long, or does not end this long after its last output.
    /// Zero: there is no limit.
    std::chrono::milliseconds limit{};
    /// Takes its standard output as it comes, if set.
    std::function<void(std::string_view)> output;
    /// Called several times a second with the time since it printed something, if set.
    std::function<void(std::chrono::milliseconds)> waiting;
};

/// Runs a program with that argument list and this process's environment. Blocks until it has ended, or kills
/// it when the limit is over, with everything it started. Processes that it leaves behind are not waited for.
/// With a limit it is a process group of its own, which a terminal's Ctrl-C does not reach. Throws
/// std::runtime_error if it cannot be started.
ProcessResult run_process(std::vector<std::string> words, const Watch& watch = {});

} // namespace cli
