// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::host {

/// A folder that only this user can enter, in TMPDIR or /tmp; removed with what is in it. Throws Error
/// (build_failed) if it cannot be made.
class TemporaryFolder {
public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

/// They throw Error (build_failed) naming the file and the system's reason.
void write_file(const std::string& path, std::string_view text);
std::string read_file(const std::string& path);

struct RunResult {
    /// As waitpid() gives it; nothing if it is lost, see ferry::detail::Process::wait().
    std::optional<int> status;
    std::string output;
};

/// Runs a program with that argument list and waits for it; its standard output and error go to the file
/// `log`. No shell is involved. Throws Error (build_failed) if it cannot be started.
RunResult run(const std::vector<std::string>& words, const std::string& log);

} // namespace ferry::host
