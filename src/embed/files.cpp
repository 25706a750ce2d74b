// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace tool {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
    throw std::runtime_error("'" + path + "' cannot be " + what + ": " +
                             std::strerror(errno)); // NOLINT(concurrency-mt-unsafe)
}

} // namespace

std::string read_file(const std::string& path) {
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
        errno = EISDIR;
        fail(path, "read");
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file.is_open() || text.bad() || file.bad()) {
        fail(path, "read");
    }
    return std::move(text).str();
}

void write_file(const std::string& path, std::string_view bytes) {
    {
        std::ifstream present(path, std::ios::binary);
        std::ostringstream text;
        if (present && text << present.rdbuf() && text.str() == bytes) {
            return;
        }
    }
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
        fail(path, "written");
    }
}

} // namespace tool
