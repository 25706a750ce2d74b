// SPDX-License-Identifier: Apache-2.0
#include "entry_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ferry::cache {
namespace {

detail::FileDescriptor open_entry(const detail::FileDescriptor& directory, const std::string& name) noexcept {
    constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int file = ::openat(directory.get(), name.c_str(), flags | O_NOATIME);
    if (file < 0 && errno == EPERM) {
        return detail::FileDescriptor(::openat(directory.get(), name.c_str(), flags));
    }
    return detail::FileDescriptor(file);
}

bool is_trusted(const struct stat& status) noexcept {
    return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

} // namespace

EntryFile read_entry_file(const detail::FileDescriptor& directory, const std::string& name) {
    EntryFile entry;
    const auto failed = [&entry] {
        entry.outcome = Outcome::failed;
        entry.failure = {Failure::Step::read, static_cast<std::uint32_t>(errno)};
    };
    entry.file = open_entry(directory, name);
    if (!entry.file) {
        const int reason = errno;
        if (reason == ELOOP &&
            ::fstatat(directory.get(), name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) == 0) {
            entry.outcome = Outcome::damaged;
        } else if (reason != ENOENT) {
            errno = reason;
            failed();
        }
        return entry;
    }
    if (::fstat(entry.file.get(), &entry.status) != 0) {
        failed();
        return entry;
    }
    const auto size = static_cast<std::uint64_t>(entry.status.st_size);
    if (!is_trusted(entry.status) || size > largest_entry) {
        entry.outcome = Outcome::damaged;
        return entry;
    }
    entry.bytes.resize(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count = ::read(entry.file.get(), entry.bytes.data() + done, size - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            failed();
            return entry;
        }
        if (count == 0) {
            entry.outcome = Outcome::damaged;
            return entry;
        }
        done += static_cast<std::size_t>(count);
    }
    entry.outcome = Outcome::read;
    return entry;
}

void touch(const EntryFile& entry) noexcept {
    const struct timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    ::futimens(entry.file.get(), times);
}

bool remove_entry_file(const detail::FileDescriptor& directory, const std::string& name,
                       const EntryFile& entry) noexcept {
    struct stat now {};
    return ::fstatat(directory.get(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
           now.st_ino == entry.status.st_ino && now.st_dev == entry.status.st_dev &&
           ::unlinkat(directory.get(), name.c_str(), 0) == 0;
}

} // namespace ferry::cache
