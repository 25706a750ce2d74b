// SPDX-License-Identifier: Apache-2.0
#include "system/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace ferry::detail {

bool is_program(const std::string& path) noexcept {
    struct stat status {};
    return ::access(path.c_str(), X_OK) == 0 && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::optional<FileFacts> file_facts(const std::string& path) noexcept {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    return FileFacts{S_ISREG(status.st_mode), (status.st_mode & S_IWOTH) != 0, status.st_uid};
}

bool may_read_and_run(const std::string& path) noexcept {
    return ::access(path.c_str(), R_OK | X_OK) == 0;
}

std::uint32_t effective_user() noexcept {
    return ::geteuid();
}

std::string working_directory() {
    const std::unique_ptr<char, decltype(&std::free)> here(::getcwd(nullptr, 0), &std::free);
    return here ? here.get() : "";
}

std::string resolved_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> whole(::realpath(path.c_str(), nullptr), &std::free);
    return whole ? whole.get() : "";
}

FileDescriptor open_for_reading(const std::string& path) noexcept {
    return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

FileDescriptor create_private_file(const std::string& path) noexcept {
    return FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

} // namespace ferry::detail
