// SPDX-License-Identifier: Apache-2.0
#include "system/file_stamp.hpp"

#include "system/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace ferry::detail {

std::string stamp_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return {};
    }
    return std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + '.' +
           std::to_string(status.st_mtim.tv_nsec) + ' ' + std::to_string(status.st_ino);
}

std::string stamp_line(const std::string& path) {
    const std::string stamp = stamp_of(path);
    return stamp.empty() || path.find('\n') != std::string::npos ? std::string() : stamp + ' ' + path;
}

bool is_current(std::string_view line) {
    const std::size_t size = line.find(' ');
    const std::size_t time = line.find(' ', size + 1);
    const std::size_t inode = line.find(' ', time + 1);
    return inode < line.size() && stamp_of(std::string(line.substr(inode + 1))) == line.substr(0, inode);
}

std::string beginning_of(const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::array<char, 4096> bytes; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    const ssize_t got = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

} // namespace ferry::detail
