// SPDX-License-Identifier: Apache-2.0
#include "system/file_descriptor.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace ferry::detail {
namespace {

/// While a file is written: exceeding a size limit (ulimit -f) is an error and does not end the process.
class NoSizeSignal {
public:
    NoSizeSignal() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    NoSizeSignal(const NoSizeSignal&) = delete;
    NoSizeSignal& operator=(const NoSizeSignal&) = delete;
    ~NoSizeSignal() {
        if (sigismember(&before_, SIGXFSZ) == 0) {
            const timespec now{};
            sigtimedwait(&signal_, nullptr, &now);
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t signal_{};
    sigset_t before_{};
};

} // namespace

FileDescriptor::~FileDescriptor() {
    if (number_ >= 0) {
        ::close(number_);
    }
}

FileDescriptor duplicate(int number) noexcept {
    return FileDescriptor(::fcntl(number, F_DUPFD_CLOEXEC, 0));
}

std::ptrdiff_t read_some(const FileDescriptor& file, void* to, std::size_t bytes) noexcept {
    while (true) {
        const ssize_t count = ::read(file.get(), to, bytes);
        if (count >= 0 || errno != EINTR) {
            return count;
        }
    }
}

bool write_all(const FileDescriptor& file, std::string_view bytes) noexcept {
    struct rlimit most {};
    if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        bytes.size() > most.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    while (!bytes.empty()) {
        const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
        if (count > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(count));
        } else if (count == 0) {
            errno = ENOSPC;
            return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

int write_at(int descriptor, std::string_view bytes, std::int64_t at) noexcept {
    const NoSizeSignal quiet;
    while (!bytes.empty()) {
        const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), at);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return written < 0 ? errno : ENOSPC;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
        at += written;
    }
    return 0;
}

} // namespace ferry::detail
