// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source_location.hpp>

#include <sys/stat.h>

#include <optional>
#include <string>

namespace ferry::detail::staging {

/// A file with a temporary name that is renamed once it is complete. It may replace another file.
class NewFile {
public:
    /// Resolves symbolic links. Throws Error if the target cannot be replaced by a regular file.
    NewFile(const std::string& path, SourceLocation where);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile(); ///< Removes the file unless it was renamed.

    /// Creates and opens the file. Returns -1 and sets errno on failure.
    int make();
    int folder() const noexcept { return folder_; }
    const std::string& temporary() const noexcept { return temporary_; }

    /// Copies mode, owner and access control list of the replaced file to `file`, its open descriptor. Throws
    /// Error.
    void take_access(int file) const;
    void take_place(); ///< Renames the file. Throws Error.

private:
    bool take_list(int file) const; ///< Copies the access control list. False if that is not possible.

    const std::string path_;
    std::string name_; ///< In the folder.
    std::string temporary_;
    std::optional<struct stat> replaced_; ///< The replaced file, at construction.
    /// A descriptor, because a relative path changes its meaning after chdir().
    int folder_ = -1;
};

} // namespace ferry::detail::staging
