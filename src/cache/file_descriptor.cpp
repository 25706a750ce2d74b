// SPDX-License-Identifier: Apache-2.0
#include "file_descriptor.hpp"

#include <sys/resource.h>

#include <cerrno>

namespace ferry::cache {

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

} // namespace ferry::cache
