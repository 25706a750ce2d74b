// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/files.hpp"

#include <functional>

// Files in an open folder, by their names in it. A folder that is renamed meanwhile stays the same. Functions
// that fail set errno.
namespace ferry::detail {

/// Opens a folder. A folder that is only opened for `names` cannot be locked, and need not be readable.
enum class FolderUse : std::uint8_t { all, names };
FileDescriptor open_folder(const std::string& path, FolderUse use = FolderUse::all) noexcept;
/// Makes a folder that only this user may use. True if it exists already.
bool make_private_folder(const char* path) noexcept;
/// Whether nothing has this path.
bool is_missing(const std::string& path) noexcept;
/// Whether this process may make folders in this one. False, with ENOENT, on the file systems of the kernel,
/// where root may write and no process can make one.
bool may_make_folders_in(const std::string& path) noexcept;

/// Calls `visit` for everything in the folder except folders, in no order.
void list_files(const FileDescriptor& folder,
                const std::function<void(const char* name, const FileStatus& status)>& visit);

/// Replaces a file of the new name. Without a folder, the names are paths.
bool rename_in(const FileDescriptor& folder, const char* name, const char* new_name) noexcept;
bool remove_in(const FileDescriptor& folder, const char* name) noexcept;

} // namespace ferry::detail
