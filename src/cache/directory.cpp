// SPDX-License-Identifier: Apache-2.0
#include "directory.hpp"

#include "base/text.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ferry::cache {
namespace {

using Step = Failure::Step;

Failure failed(Step step) noexcept {
    return {step, static_cast<std::uint32_t>(errno)};
}

detail::FileDescriptor open_at(const std::string& path) noexcept {
    return detail::FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool make_all(const Location& location, Failure& failure) {
    std::string path = location.directory;
    for (std::size_t i = location.existing.size() + 1; i <= path.size(); ++i) {
        if (i < path.size() && path[i] != '/') {
            continue;
        }
        const char kept = path[i];
        path[i] = '\0';
        const bool made = ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
        if (!made) {
            failure = failed(Step::make);
            return false;
        }
        path[i] = kept;
    }
    return true;
}

std::string octal(std::uint32_t mode) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%04o", mode);
    return text.data();
}

} // namespace

detail::FileDescriptor open_directory(const Location& location, bool make, Failure& failure) noexcept {
    try {
        detail::FileDescriptor directory = open_at(location.directory);
        if (!directory && errno == ENOENT) {
            if (!make) {
                failure = {Step::missing, 0};
                return {};
            }
            if (!make_all(location, failure)) {
                return {};
            }
            directory = open_at(location.directory);
        }
        struct stat status {};
        if (!directory || ::fstat(directory.get(), &status) != 0) {
            failure = failed(Step::open);
            return {};
        }
        if (status.st_uid != ::geteuid()) {
            failure = {Step::owner, status.st_uid};
            return {};
        }
        if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
            failure = {Step::permissions, status.st_mode & 07777U};
            return {};
        }
        return directory;
    } catch (...) {
        failure = {Step::memory, 0};
        return {};
    }
}

Failure whether_it_can_be_made(const Location& location) {
    std::string path = location.directory;
    do {
        path.resize(path.find_last_of('/'));
    } while (path.size() > location.existing.size() && ::access(path.c_str(), F_OK) != 0 && errno == ENOENT);
    path += path.empty() ? "/" : "";
    struct statfs system {};
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0 ||
        ::statfs(path.c_str(), &system) != 0) {
        return failed(Step::make);
    }
    // Root may write there, but no process can create a directory.
    if (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC) {
        return {Step::make, ENOENT};
    }
    return {Step::missing, 0};
}

std::string text_of(const Failure& failure, const Location& location) {
    const std::string directory = "The cache of compiled kernels, \"" + location.directory + "\", ";
    const std::string system = ": " + std::string(std::strerror(static_cast<int>(failure.number)));
    switch (failure.step) {
    case Step::none:
    case Step::missing:
        return {};
    case Step::make:
        return directory + "is not used, for it cannot be made" + system;
    case Step::open:
        return directory + "is not used, for it cannot be opened" + system;
    case Step::owner:
        return directory + "is not used, for it belongs to user " + std::to_string(failure.number) +
               ", and this process runs as user " + std::to_string(::geteuid()) +
               "; name another one with FERRY_CACHE_DIR";
    case Step::permissions:
        return directory + "is not used, for its mode is " + octal(failure.number) +
               " and users other than its owner may write to it; chmod 700 mends that";
    case Step::read:
        return directory + "has an entry that cannot be read" + system;
    case Step::create:
        return directory + "took no new entry, for no file can be made in it" + system;
    case Step::write:
        return directory + "took no new entry, for it could not be written" + system;
    case Step::publish:
        return directory + "took no new entry, for its file could not be renamed" + system;
    case Step::remove:
        return directory + "keeps entries that cannot be removed" + system;
    case Step::too_large:
        return directory + "took no new entry, for one was larger than all of the cache may be, " +
               detail::in_bytes(location.limit) + "; FERRY_CACHE_LIMIT sets that";
    case Step::busy:
        return directory + "took no new entry, for another process was making room in it for more than 20 ms";
    case Step::memory:
        return directory + "could not be used for want of memory";
    }
    return {};
}

} // namespace ferry::cache
