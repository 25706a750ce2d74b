// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_place.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ferry::trace {
namespace {

constexpr int busy = -2; // Another process writes the file.
constexpr int careful = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

const char* kind_of(mode_t mode) {
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISLNK(mode)  ? "a symbolic link"
                            : "a device";
}

// trace.json becomes trace.1234.json.
std::string own_name(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    const std::size_t at = dot != std::string::npos && dot != 0 ? dot : name.size();
    return name.substr(0, at) + "." + std::to_string(getpid()) + name.substr(at);
}

bool is_trace(int folder, const std::string& name) {
    const int file = openat(folder, name.c_str(), O_RDONLY | careful);
    std::array<char, file_head.size()> bytes{};
    const ssize_t got = file >= 0 ? pread(file, bytes.data(), bytes.size(), 0) : -1;
    if (file >= 0) {
        close(file);
    }
    return got == 0 || (got == static_cast<ssize_t>(bytes.size()) &&
                        std::string_view(bytes.data(), bytes.size()) == file_head);
}

/// The reason why the file with this name is not replaced. Empty if it may be, or if there is none.
std::string obstacle(int folder, const std::string& name) {
    struct stat status {};
    if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? std::string() : error_words(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return "\"" + name + "\" is " + kind_of(status.st_mode);
    }
    if (status.st_uid != geteuid() && geteuid() != 0) {
        return "\"" + name + "\" belongs to user " + std::to_string(status.st_uid);
    }
    return is_trace(folder, name) ? std::string()
                                  : "\"" + name + "\" exists and is not a trace, so it is not replaced";
}

bool lock(int file) {
    return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool is_still(int file, int folder, const std::string& name) {
    struct stat mine {};
    struct stat there {};
    return fstat(file, &mine) == 0 && fstatat(folder, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

} // namespace

std::string error_words(int error) {
    return std::strerror(error); // NOLINT(concurrency-mt-unsafe)
}

TracePlace::TracePlace(const std::string& name) {
    const std::size_t slash = name.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : name.substr(0, slash + 1);
    name_ = name.substr(slash == std::string::npos ? 0 : slash + 1);
    folder_ = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0) {
        problem_ = error_words(errno);
    } else if (name_.empty() || name_ == "." || name_ == "..") {
        problem_ = error_words(EISDIR);
    } else if (file_ = claim(); file_ == busy) {
        name_ = own_name(name_);
        file_ = claim();
    }
    if (file_ < 0) {
        problem_ = problem_.empty() ? "another process writes to it" : problem_;
        abandon();
    }
}

// A partial file without a lock belongs to a process that was killed. The process that locks the file which
// now has the name decides about it.
int TracePlace::claim() {
    for (int attempt = 0; attempt < 100; ++attempt) {
        problem_ = obstacle(folder_, name_);
        if (!problem_.empty()) {
            return -1;
        }
        int file = openat(folder_, partial().c_str(), O_RDWR | O_CREAT | O_EXCL | careful, 0666);
        const bool made = file >= 0;
        if (!made) {
            problem_ = errno == EEXIST ? obstacle(folder_, partial()) : error_words(errno);
            if (!problem_.empty()) {
                return -1;
            }
            file = openat(folder_, partial().c_str(), O_RDWR | careful);
        }
        if (file < 0) {
            continue;
        }
        const bool locked = lock(file);
        if (locked && is_still(file, folder_, partial())) {
            if (made) {
                return file;
            }
            unlinkat(folder_, partial().c_str(), 0);
        }
        close(file);
        if (!locked && !made) {
            return busy;
        }
    }
    return busy;
}

void TracePlace::publish() noexcept {
    try {
        if (obstacle(folder_, name_).empty()) {
            renameat(folder_, partial().c_str(), folder_, name_.c_str());
        }
    } catch (const std::exception&) { // Out of memory: the partial file stays.
    }
}

void TracePlace::remove() noexcept {
    try {
        unlinkat(folder_, partial().c_str(), 0);
    } catch (const std::exception&) {
    }
    abandon();
}

void TracePlace::abandon() noexcept {
    for (int* const descriptor : {&folder_, &file_}) {
        if (*descriptor >= 0) {
            close(*descriptor);
        }
        *descriptor = -1;
    }
}

} // namespace ferry::trace
