// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// Runs this test program again in a child process.
struct Child {
    std::vector<std::string> arguments;
    /// Changes to this process's environment. No value unsets the variable.
    std::vector<std::pair<std::string, std::optional<std::string>>> environment;
    int limit_seconds = 120;
    std::string program = "/proc/self/exe";
};

struct ChildResult {
    int exit_code = -1; ///< -1 if it did not exit
    int signal = 0;     ///< the signal that ended it, or 0
    bool timed_out = false;
    std::string output; ///< standard output and error

    bool exited(int code) const { return !timed_out && signal == 0 && exit_code == code; }
    bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
    /// A description of the end and the output, for a failure message.
    std::string describe() const;
};

ChildResult run(const Child& child);

/// Code that a child process runs if its first argument is "--child=NAME|ARGUMENT". Returns the exit status.
struct ChildBody {
    ChildBody(const std::string& name, std::function<int(const std::string& argument)> body);
};
/// The exit status of the body named in the arguments of main(); nothing if they name none.
std::optional<int> run_child_body(int argc, char** argv);

/// The names of the shared libraries mapped in this process.
std::vector<std::string> mapped_libraries();

} // namespace support
