// SPDX-License-Identifier: Apache-2.0
#include "system/file_stamp.hpp"

#include "system/file_io.hpp"

#include <array>

namespace ferry::detail {

std::string stamp_of(const std::string& path) {
    const auto status = status_at(path);
    return status ? std::to_string(status->bytes) + ' ' + std::to_string(status->written.count()) + ' ' +
                        std::to_string(status->number)
                  : std::string();
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
    std::array<char, 4096> bytes; // NOLINT(cppcoreguidelines-pro-type-member-init): read_at() fills it
    const FileDescriptor file = open_file(path, {});
    const Transferred got = read_at(file, std::as_writable_bytes(std::span(bytes)), 0);
    return {bytes.data(), got.bytes};
}

} // namespace ferry::detail
