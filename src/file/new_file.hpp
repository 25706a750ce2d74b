// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source_location.hpp>

#include <sys/stat.h>

#include <optional>
#include <string>

namespace ferry::detail::staging {

/// A file under a temporary name that takes the place of another, or of none, once it is complete.
class NewFile {
public:
    /// Finds the place, through symbolic links. Throws Error if a regular file cannot be put there.
    NewFile(const std::string& path, SourceLocation where);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile(); ///< removes it, unless it has its place

    /// Makes and opens it; -1, and errno: it cannot be.
    int make();
    int folder() const noexcept { return folder_; }
    const std::string& temporary() const noexcept { return temporary_; }

    /// Gives it, open as `file`, the mode and the owner of what it takes the place of. Throws Error.
    void take_access(int file) const;
    void take_place(); ///< throws Error

private:
    bool take_list(int file) const; ///< of access; false: it cannot be the same

    const std::string path_;
    std::string name_; ///< in the folder
    std::string temporary_;
    std::optional<struct stat> replaced_; ///< as it was first
    int folder_ = -1;                     ///< a path from here on means something else after a chdir()
};

} // namespace ferry::detail::staging
