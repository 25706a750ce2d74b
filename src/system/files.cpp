// SPDX-License-Identifier: Apache-2.0
#include "system/files.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ferry::detail {
namespace {

std::chrono::nanoseconds time_of(const timespec& time) noexcept {
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

FileKind kind_of(mode_t mode) noexcept {
    return S_ISREG(mode)    ? FileKind::regular
           : S_ISDIR(mode)  ? FileKind::folder
           : S_ISLNK(mode)  ? FileKind::link
           : S_ISFIFO(mode) ? FileKind::pipe
           : S_ISSOCK(mode) ? FileKind::socket
           : S_ISBLK(mode)  ? FileKind::block_device
                            : FileKind::device;
}

FileStatus status_from(const struct stat& status) noexcept {
    return {.kind = kind_of(status.st_mode),
            .owner = status.st_uid,
            .group = status.st_gid,
            .permissions = static_cast<std::uint32_t>(status.st_mode) & 07777U,
            .bytes = static_cast<std::uint64_t>(status.st_size),
            .device = status.st_dev,
            .number = status.st_ino,
            .written = time_of(status.st_mtim),
            .used = time_of(status.st_atim)};
}

int number_of(const FileDescriptor& folder) noexcept {
    return folder ? folder.get() : AT_FDCWD;
}

} // namespace

const char* to_string(FileKind kind) noexcept {
    switch (kind) {
    case FileKind::regular:
        return "a file";
    case FileKind::folder:
        return "a directory";
    case FileKind::link:
        return "a symbolic link";
    case FileKind::pipe:
        return "a pipe";
    case FileKind::socket:
        return "a socket";
    case FileKind::block_device:
    case FileKind::device:
        break;
    }
    return "a device";
}

std::optional<FileStatus> status_of(const FileDescriptor& file) noexcept {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? std::optional(status_from(status)) : std::nullopt;
}

std::optional<FileStatus> status_at(const std::string& path) noexcept {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? std::optional(status_from(status)) : std::nullopt;
}

std::optional<FileStatus> status_in(const FileDescriptor& folder, const char* name) noexcept {
    struct stat status {};
    return ::fstatat(number_of(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0
               ? std::optional(status_from(status))
               : std::nullopt;
}

bool may_access(const std::string& path, FileAccess access) noexcept {
    constexpr int modes[] = {R_OK, X_OK, R_OK | X_OK, R_OK | W_OK};
    return ::access(path.c_str(), modes[static_cast<std::size_t>(access)]) == 0;
}

std::uint32_t effective_user() noexcept {
    return ::geteuid();
}

std::string group_name(std::uint32_t group) {
    constexpr std::size_t most = std::size_t{1} << 20; // A group with tens of thousands of members.
    struct group entry {};
    struct group* known = nullptr;
    int result = ERANGE;
    for (std::vector<char> texts(1024); result == ERANGE && texts.size() <= most;
         texts.resize(2 * texts.size())) {
        result = ::getgrgid_r(group, &entry, texts.data(), texts.size(), &known);
        if (result == 0 && known != nullptr) {
            return known->gr_name;
        }
    }
    return "number " + std::to_string(group);
}

std::string working_directory() {
    const std::unique_ptr<char, decltype(&std::free)> here(::getcwd(nullptr, 0), &std::free);
    return here ? here.get() : "";
}

std::string resolved_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> whole(::realpath(path.c_str(), nullptr), &std::free);
    return whole ? whole.get() : "";
}

FileDescriptor open_file(const FileDescriptor& folder, const char* name,
                         const OpenOptions& options) noexcept {
    using Create = OpenOptions::Create;
    const int access = options.reads && options.writes ? O_RDWR : options.writes ? O_WRONLY : O_RDONLY;
    const int create = options.create == Create::never        ? 0
                       : options.create == Create::if_missing ? O_CREAT
                                                              : O_CREAT | O_EXCL;
    const int rest = (options.empties ? O_TRUNC : 0) | (options.follows_link ? 0 : O_NOFOLLOW) |
                     (options.direct ? O_DIRECT : 0);
    int flags = access | create | rest | O_CLOEXEC | O_NOCTTY | (options.keeps_used_time ? O_NOATIME : 0);
    const auto open = [&] {
        return ::openat(number_of(folder), name, flags | O_NONBLOCK,
                        static_cast<mode_t>(options.permissions));
    };
    int file = open();
    if (file < 0 && errno == EPERM && options.keeps_used_time) { // Only the owner may keep the time.
        flags &= ~O_NOATIME;
        file = open();
    }
    if (file >= 0) {
        ::fcntl(file, F_SETFL, flags);
    }
    return FileDescriptor(file);
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
