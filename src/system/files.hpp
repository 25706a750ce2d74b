// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

// Files by their paths. Functions that fail set errno.
namespace ferry::detail {

enum class FileKind : std::uint8_t { regular, folder, link, pipe, socket, block_device, device };
/// "a directory", "a pipe".
const char* to_string(FileKind kind) noexcept;

struct FileStatus {
    FileKind kind = FileKind::device;
    std::uint32_t owner = 0;       ///< The number of a user.
    std::uint32_t group = 0;       ///< The number of a group.
    std::uint32_t permissions = 0; ///< The bits of the mode up to 07777.
    std::uint64_t bytes = 0;       ///< 0 for devices.
    std::uint64_t device = 0;
    std::uint64_t number = 0;            ///< Unique on the device while the file exists.
    std::chrono::nanoseconds written{0}; ///< Since 1970.
    std::chrono::nanoseconds used{0};    ///< Since 1970.

    bool is_regular() const noexcept { return kind == FileKind::regular; }
    bool others_may_write() const noexcept { return (permissions & 022U) != 0; }
    bool is_same_file(const FileStatus& other) const noexcept {
        return device == other.device && number == other.number;
    }
};
std::optional<FileStatus> status_of(const FileDescriptor& file) noexcept;
/// Of the file behind all links.
std::optional<FileStatus> status_at(const std::string& path) noexcept;
/// Of the link itself if the name in the folder is one. Without a folder, the name is a path.
std::optional<FileStatus> status_in(const FileDescriptor& folder, const char* name) noexcept;

enum class FileAccess : std::uint8_t { read, run, read_and_run, read_and_write };
/// Whether the user that started this process may use the file so.
bool may_access(const std::string& path, FileAccess access) noexcept;
/// The user whose rights this process has.
std::uint32_t effective_user() noexcept;
/// "video"; "number 44" if the group has no name.
std::string group_name(std::uint32_t group);

/// The folder that relative paths start from; empty if it is gone.
std::string working_directory();
/// The path without links; empty if there is no such file.
std::string resolved_path(const std::string& path);

/// Other programs do not inherit the file, and opening it does not wait for the other end of a pipe.
struct OpenOptions {
    enum class Create : std::uint8_t {
        never,
        if_missing,
        always, ///< Fails with EEXIST if the name is taken, by a link too.
    };
    bool reads = true;
    bool writes = false;
    Create create = Create::never;
    bool empties = false;
    std::uint32_t permissions = 0600; ///< Of a new file; the umask reduces them.
    bool follows_link = true;         ///< Otherwise it fails with ELOOP.
    bool direct = false;          ///< Without the page cache. Fails if the file system does not support it.
    bool keeps_used_time = false; ///< If the system allows that.
};
/// Without a folder, the name is a path. The result is empty on failure.
FileDescriptor open_file(const FileDescriptor& folder, const char* name, const OpenOptions& options) noexcept;
inline FileDescriptor open_file(const std::string& path, const OpenOptions& options) noexcept {
    return open_file(FileDescriptor(), path.c_str(), options);
}

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
