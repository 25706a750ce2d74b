// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// A run of this test program again, in a process of its own.
struct Child {
    std::vector<std::string> arguments;
    /// On top of this process's environment; no value unsets the variable.
    std::vector<std::pair<std::string, std::optional<std::string>>> environment;
    int limit_seconds = 120;
    std::string program = "/proc/self/exe";
};

struct ChildResult {
    int exit_code = -1; ///< -1 if it did not exit by itself
    int signal = 0;     ///< the one that ended it, or 0
    bool timed_out = false;
    std::string output; ///< standard output and error

    bool exited(int code) const { return !timed_out && signal == 0 && exit_code == code; }
    bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
    /// How it ended and what it printed, for a failure message.
    std::string describe() const;
};

ChildResult run(const Child& child);

/// What a child process runs when its first argument is "--child=NAME|ARGUMENT"; returns the exit status.
struct ChildBody {
    ChildBody(const std::string& name, std::function<int(const std::string& argument)> body);
};
/// The exit status of the body that the arguments of main() ask for; nothing if they ask for none.
std::optional<int> run_child_body(int argc, char** argv);

/// Names of the shared libraries that this process has mapped.
std::vector<std::string> mapped_libraries();

} // namespace support
