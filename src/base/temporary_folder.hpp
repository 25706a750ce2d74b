// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry::host {

/// A folder of the compiler in TMPDIR, otherwise in /tmp. It is removed with all its contents. While it lives
/// it is locked, so that other processes see that it is in use.
class TemporaryFolder {
public:
    /// The first one of a process removes the folders left by killed processes. Throws Error (build_failed).
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
    int lock_ = -1;
};

/// Removes from `place` the folders of ended processes: those of this user, without a lock, and unchanged for
/// a minute.
void remove_left_folders(const std::string& place) noexcept;

} // namespace ferry::host
