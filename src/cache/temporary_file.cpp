// SPDX-License-Identifier: Apache-2.0
#include "entry_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>

namespace ferry::cache {
namespace {

constexpr std::string_view prefix = ".new-";
constexpr int attempts = 16;
constexpr std::time_t young = 2;
constexpr std::time_t surely_old = 3600;

std::string fresh_name() {
    static std::atomic<unsigned> counter{0}; // Relaxed: numbers must differ, not be in order.
    struct timespec now {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    char text[80];
    std::snprintf(text, sizeof text, "%s%ld-%u-%lx%lx", prefix.data(), static_cast<long>(::getpid()),
                  counter.fetch_add(1, std::memory_order_relaxed), static_cast<unsigned long>(now.tv_sec),
                  static_cast<unsigned long>(now.tv_nsec));
    return text;
}

Failure failed(Failure::Step step, int error) noexcept {
    return {step, static_cast<std::uint32_t>(error)};
}

} // namespace

TemporaryFile::TemporaryFile(const detail::FileDescriptor& directory) : directory_(directory) {
    for (int i = 0; i < attempts && !file_; ++i) {
        name_ = fresh_name();
        constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        file_ = detail::FileDescriptor(::openat(directory.get(), name_.c_str(), flags, 0600));
        if (!file_ && errno != EEXIST) {
            break;
        }
    }
    if (!file_) {
        failure_ = failed(Failure::Step::create, errno);
        return;
    }
    ::flock(file_.get(), LOCK_EX | LOCK_NB);
}

TemporaryFile::~TemporaryFile() {
    if (file_ && !published_) {
        ::unlinkat(directory_.get(), name_.c_str(), 0);
    }
}

bool TemporaryFile::publish(std::string_view bytes, const std::string& name) noexcept {
    if (!file_) {
        return false;
    }
    if (!detail::write_all(file_, bytes)) {
        failure_ = failed(Failure::Step::write, errno);
        return false;
    }
    // Not synced: after a power failure the digest detects missing bytes.
    if (::renameat(directory_.get(), name_.c_str(), directory_.get(), name.c_str()) != 0) {
        failure_ = failed(Failure::Step::publish, errno);
        return false;
    }
    published_ = true;
    return true;
}

bool is_temporary_name(std::string_view name) noexcept {
    return name.substr(0, prefix.size()) == prefix;
}

bool remove_if_abandoned(const detail::FileDescriptor& directory, const char* name, const struct stat& status,
                         bool at_once) noexcept {
    const std::time_t age = ::time(nullptr) - status.st_mtime;
    if (!S_ISREG(status.st_mode) || (!at_once && age < young)) {
        return false;
    }
    const detail::FileDescriptor file(
        ::openat(directory.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
        return false;
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        const bool has_no_locks = errno != EWOULDBLOCK && errno != EINTR;
        if (!has_no_locks || age < surely_old) {
            return false;
        }
    }
    const bool removed = ::unlinkat(directory.get(), name, 0) == 0;
    ::flock(file.get(), LOCK_UN); // A child that was forked meanwhile would keep it.
    return removed;
}

} // namespace ferry::cache
