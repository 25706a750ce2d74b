// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cli {

struct ProcessResult {
    int status = 0; ///< as waitpid() gives it
    std::string output;
    std::string errors; ///< its standard error, and how it ended if it was not by itself
};

/// Runs a program with that argument list and this process's environment; blocks until it has ended. Throws
/// std::runtime_error if it cannot be started.
ProcessResult run_process(std::vector<std::string> words);

} // namespace cli
