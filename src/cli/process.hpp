// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cli {

struct ProcessResult {
    int status = 0; ///< as waitpid() gives it; main() sees to it that it is not lost
    std::string output;
    std::string errors; ///< its standard error, and how it ended if it was not by itself
    bool late = false;  ///< it was ended because its time was up
};

/// Runs a program with that argument list and this process's environment; blocks until it has ended, or kills
/// it and what it started when the limit is over (zero: there is none). With a limit it is a process group of
/// its own, which a terminal's Ctrl-C does not reach. Throws std::runtime_error if it cannot be started.
ProcessResult run_process(std::vector<std::string> words, std::chrono::milliseconds limit = {});

} // namespace cli
