// SPDX-License-Identifier: Apache-2.0
#include "system/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace ferry::detail {
namespace {

std::chrono::nanoseconds time_of(const timespec& time) noexcept {
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

FileStatus status_from(const struct stat& status) noexcept {
    const auto mode = static_cast<std::uint32_t>(status.st_mode);
    return {.kind = S_ISREG(mode)   ? FileKind::regular
                    : S_ISDIR(mode) ? FileKind::folder
                    : S_ISLNK(mode) ? FileKind::link
                                    : FileKind::other,
            .owner = status.st_uid,
            .permissions = mode & 07777U,
            .bytes = static_cast<std::uint64_t>(status.st_size),
            .device = status.st_dev,
            .number = status.st_ino,
            .written = time_of(status.st_mtim),
            .used = time_of(status.st_atim)};
}

} // namespace

FileDescriptor open_folder(const std::string& path) noexcept {
    return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool make_private_folder(const char* path) noexcept {
    return ::mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool is_missing(const std::string& path) noexcept {
    return ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
}

bool may_make_folders_in(const std::string& path) noexcept {
    struct statfs system {};
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0 ||
        ::statfs(path.c_str(), &system) != 0) {
        return false;
    }
    if (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC) {
        errno = ENOENT;
        return false;
    }
    return true;
}

std::optional<FileStatus> status_of(const FileDescriptor& file) noexcept {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? std::optional(status_from(status)) : std::nullopt;
}

std::optional<FileStatus> status_in(const FileDescriptor& folder, const char* name) noexcept {
    struct stat status {};
    return ::fstatat(folder.get(), name, &status, AT_SYMLINK_NOFOLLOW) == 0
               ? std::optional(status_from(status))
               : std::nullopt;
}

void list_files(const FileDescriptor& folder,
                const std::function<void(const char* name, const FileStatus& status)>& visit) {
    const int again = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0) {
        return;
    }
    const auto close = [](DIR* stream) { ::closedir(stream); };
    const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(again), close);
    if (stream == nullptr) {
        ::close(again);
        return;
    }
    while (const struct dirent* item = ::readdir(stream.get())) {
        const std::optional<FileStatus> status = status_in(folder, item->d_name);
        if (status && status->kind != FileKind::folder) {
            visit(item->d_name, *status);
        }
    }
}

FileDescriptor open_in(const FileDescriptor& folder, const char* name) noexcept {
    constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int file = ::openat(folder.get(), name, flags | O_NOATIME);
    if (file < 0 && errno == EPERM) { // Only the owner may keep the time.
        return FileDescriptor(::openat(folder.get(), name, flags));
    }
    return FileDescriptor(file);
}

FileDescriptor create_in(const FileDescriptor& folder, const char* name) noexcept {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    return FileDescriptor(::openat(folder.get(), name, flags, 0600));
}

bool rename_in(const FileDescriptor& folder, const char* name, const char* new_name) noexcept {
    return ::renameat(folder.get(), name, folder.get(), new_name) == 0;
}

bool remove_in(const FileDescriptor& folder, const char* name) noexcept {
    return ::unlinkat(folder.get(), name, 0) == 0;
}

void mark_as_used(const FileDescriptor& file) noexcept {
    const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    ::futimens(file.get(), times);
}

FileLock try_lock_file(const FileDescriptor& file) noexcept {
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
        return FileLock::taken;
    }
    return errno == EWOULDBLOCK || errno == EINTR ? FileLock::busy : FileLock::unavailable;
}

void unlock_file(const FileDescriptor& file) noexcept {
    ::flock(file.get(), LOCK_UN);
}

} // namespace ferry::detail
