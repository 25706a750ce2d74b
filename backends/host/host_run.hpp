// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::host {

/// They throw Error (build_failed) with the file and the system's reason.
void write_file(const std::string& path, std::string_view text);
std::string read_file(const std::string& path);

struct RunResult {
    /// The result of waitpid(). Empty if it is lost; see ferry::detail::Process::wait().
    std::optional<int> status;
    std::string output;
};

/// Runs a program with this argument list and waits for it. Its standard output and error go to the file
/// "log" of `folder`, and its temporary files into that folder. No shell is used. Throws Error (build_failed)
/// if it cannot be started.
RunResult run(const std::vector<std::string>& words, const std::string& folder);

} // namespace ferry::host
