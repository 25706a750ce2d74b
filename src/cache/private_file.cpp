// SPDX-License-Identifier: Apache-2.0
#include "private_file.hpp"

#include "system/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace ferry::cache {
namespace {

constexpr std::size_t longest_label = 200;
constexpr unsigned executable = 0x10; // MFD_EXEC of Linux 6.3.

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1) + 1;
}

/// The same file under a new name each time: the bits of `number` as "./" and "/".
std::string descriptor_path(int file, std::uint64_t number) {
    // Not /proc/self: a debugger opens the path in its own process.
    std::string path = "/proc/" + std::to_string(::getpid()) + "/fd/";
    for (; number != 0; number >>= 1U) {
        path += (number & 1U) != 0 ? "./" : "/";
    }
    return path + std::to_string(file);
}

} // namespace

PrivateFile::PrivateFile(std::string_view bytes, std::string_view label, Place place) {
    if (place == Place::disk || !in_memory(bytes, label)) {
        on_disk(bytes);
    }
}

PrivateFile::~PrivateFile() {
    if (named_) {
        ::unlink(path_.c_str());
    }
}

bool PrivateFile::in_memory(std::string_view bytes, std::string_view label) {
    const std::string name = "ferry-" + std::string(label.substr(0, longest_label));
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int number = ::memfd_create(name.c_str(), flags | executable);
    if (number < 0 && errno == EINVAL) {
        number = ::memfd_create(name.c_str(), flags);
    }
    file_ = detail::FileDescriptor(number);
    std::string path = descriptor_path(number, next_number());
    if (!file_ || !detail::write_all(file_, bytes) ||
        ::fcntl(number, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        ::access(path.c_str(), R_OK) != 0) {
        return false;
    }
    path_ = std::move(path);
    return true;
}

void PrivateFile::on_disk(std::string_view bytes) {
    path_ = detail::temporary_kernels_name(next_number());
    file_ = detail::FileDescriptor(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700));
    named_ = static_cast<bool>(file_);
    detail::lock_temporary(file_.get());
    if (file_ && detail::write_all(file_, bytes)) {
        return;
    }
    problem_ = "A compiled kernel of " + std::to_string(bytes.size()) +
               " bytes can be loaded neither from memory nor from \"" + path_ + "\": " + std::strerror(errno);
    if (named_) {
        ::unlink(path_.c_str());
        named_ = false;
    }
    path_.clear();
}

} // namespace ferry::cache
