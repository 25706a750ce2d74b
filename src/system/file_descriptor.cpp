// SPDX-License-Identifier: Apache-2.0
#include "system/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ferry::detail {

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
    struct stat status {};
    if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        bytes.size() > most.rlim_cur && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) {
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

bool is_terminal(int number) noexcept {
    return ::isatty(number) == 1;
}

} // namespace ferry::detail
