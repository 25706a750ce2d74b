// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_io.hpp"

#include <ferry/source_location.hpp>

#include <optional>
#include <string>

namespace ferry::detail::staging {

/// Of new files; the umask reduces them.
inline constexpr std::uint32_t usual_permissions = 0666;

/// A file with a temporary name that is renamed once it is complete. It may replace another file.
class NewFile {
public:
    /// Resolves symbolic links. Throws Error if the target cannot be replaced by a regular file.
    NewFile(const std::string& path, SourceLocation where);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile(); ///< Removes the file unless it was renamed.

    /// Creates and opens the file. On failure, the result is empty and errno is set.
    FileDescriptor make();
    const FileDescriptor& folder() const noexcept { return folder_; }
    const std::string& temporary() const noexcept { return temporary_; }

    /// Copies mode, owner and access control list of the replaced file to `file`, this file. Throws Error.
    void take_access(const FileDescriptor& file) const;
    void take_place(); ///< Renames the file. Throws Error.

private:
    const std::string path_;
    std::string name_; ///< In the folder.
    std::string temporary_;
    std::optional<FileStatus> replaced_; ///< The replaced file, at construction.
    /// A descriptor, because a relative path changes its meaning after chdir().
    FileDescriptor folder_;
};

} // namespace ferry::detail::staging
