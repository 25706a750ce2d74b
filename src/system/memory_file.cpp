// SPDX-License-Identifier: Apache-2.0
#include "system/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>

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

} // namespace ferry::detail
