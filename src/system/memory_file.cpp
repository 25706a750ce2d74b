// SPDX-License-Identifier: Apache-2.0
#include "system/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace ferry::detail {

FileDescriptor sealed_memory_file(const std::string& label, std::string_view bytes) noexcept {
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    constexpr unsigned executable = 0x10; // MFD_EXEC of Linux 6.3.
    int number = ::memfd_create(label.c_str(), flags | executable);
    if (number < 0 && errno == EINVAL) {
        number = ::memfd_create(label.c_str(), flags);
    }
    FileDescriptor file(number);
    if (!file || !write_all(file, bytes) ||
        ::fcntl(number, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        return {};
    }
    return file;
}

FileDescriptor create_private_program(const std::string& path) noexcept {
    return FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700));
}

bool remove_file(const std::string& path) noexcept {
    return ::unlink(path.c_str()) == 0;
}

bool may_read(const std::string& path) noexcept {
    return ::access(path.c_str(), R_OK) == 0;
}

} // namespace ferry::detail
