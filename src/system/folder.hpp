// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

// Files in an open folder, by their names in it. A folder that is renamed meanwhile stays the same. Functions
// that fail set errno.
namespace ferry::detail {

enum class FileKind : std::uint8_t { regular, folder, link, other };

struct FileStatus {
    FileKind kind = FileKind::other;
    std::uint32_t owner = 0;       ///< The number of a user.
    std::uint32_t permissions = 0; ///< The bits of the mode up to 07777.
    std::uint64_t bytes = 0;
    std::uint64_t device = 0;
    std::uint64_t number = 0;            ///< Unique on the device while the file exists.
    std::chrono::nanoseconds written{0}; ///< Since 1970.
    std::chrono::nanoseconds used{0};    ///< Since 1970.

    bool others_may_write() const noexcept { return (permissions & 022U) != 0; }
    bool is_same_file(const FileStatus& other) const noexcept {
        return device == other.device && number == other.number;
    }
};

/// Opens a folder for reading.
FileDescriptor open_folder(const std::string& path) noexcept;
/// Makes a folder that only this user may use. True if it exists already.
bool make_private_folder(const char* path) noexcept;
/// Whether nothing has this path.
bool is_missing(const std::string& path) noexcept;
/// Whether this process may make folders in this one. False, with ENOENT, on the file systems of the kernel,
/// where root may write and no process can make one.
bool may_make_folders_in(const std::string& path) noexcept;

std::optional<FileStatus> status_of(const FileDescriptor& file) noexcept;
/// Of the link itself if the name is one.
std::optional<FileStatus> status_in(const FileDescriptor& folder, const char* name) noexcept;
/// Calls `visit` for everything in the folder except folders, in no order.
void list_files(const FileDescriptor& folder,
                const std::function<void(const char* name, const FileStatus& status)>& visit);

/// Opens for reading. Follows no link (ELOOP), and does not wait for the other end of a pipe. The time of
/// last use stays, if the system allows that.
FileDescriptor open_in(const FileDescriptor& folder, const char* name) noexcept;
/// Makes a file for writing that only this user may use. Fails with EEXIST if the name is taken.
FileDescriptor create_in(const FileDescriptor& folder, const char* name) noexcept;
/// Replaces a file of the new name.
bool rename_in(const FileDescriptor& folder, const char* name, const char* new_name) noexcept;
bool remove_in(const FileDescriptor& folder, const char* name) noexcept;
/// Sets the time of last use to now.
void mark_as_used(const FileDescriptor& file) noexcept;

enum class FileLock : std::uint8_t {
    taken,
    busy,        ///< Another process has it.
    unavailable, ///< The file system has no locks.
};
/// Takes the lock of an open file or folder. Does not block. The lock lives as long as a descriptor of this
/// open file in any process; unlock_file() ends it earlier.
FileLock try_lock_file(const FileDescriptor& file) noexcept;
void unlock_file(const FileDescriptor& file) noexcept;

} // namespace ferry::detail
