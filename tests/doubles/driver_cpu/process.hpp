// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ferry_double {

/// A temporary folder, removed with its contents at the end of the scope.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Runs a program with its output and messages in `log_file`. Returns the exit status; -1 if it did not
/// start.
int run_program(const std::vector<std::string>& arguments, const std::string& log_file);

bool write_file(const std::string& path, std::string_view text);
/// Returns false if there is no such file.
bool read_file(const std::string& path, std::string& text);
/// Writes a second file and renames it, so that other processes never see a part of it.
void replace_file(const std::string& path, std::string_view text);

} // namespace ferry_double
