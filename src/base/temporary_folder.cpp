// SPDX-License-Identifier: Apache-2.0
#include "host_folder.hpp"

#include <ferry/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>

namespace ferry::host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "ferry-build-";
constexpr std::string_view random_part = "XXXXXX";
constexpr std::time_t young = 60; // A folder has no lock for an instant after its creation.

int open_folder(const std::string& path) noexcept {
    return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Empty, or files only and the source among them, so it cannot be a folder of another program.
bool holds_a_compile(const std::string& path) {
    bool source = false;
    bool empty = true;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
        if (!fs::is_regular_file(entry.symlink_status())) {
            return false;
        }
        empty = false;
        source = source || entry.path().filename() == "kernels.cpp";
    }
    return source || empty;
}

void remove_if_left(const std::string& path) {
    const int folder = open_folder(path);
    struct stat status {};
    if (folder >= 0 && fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
        (status.st_mode & 07777U) == 0700 && status.st_mtime < std::time(nullptr) - young &&
        flock(folder, LOCK_EX | LOCK_NB) == 0 && holds_a_compile(path)) {
        std::error_code error;
        fs::remove_all(path, error);
    }
    if (folder >= 0) {
        close(folder);
    }
}

} // namespace

TemporaryFolder::TemporaryFolder() {
    const char* const named = secure_getenv("TMPDIR");
    const std::string place = named != nullptr && *named == '/' ? named : "/tmp";
    static std::once_flag first;
    std::call_once(first, [&] { remove_left_folders(place); });
    path_ = place + '/' + std::string(prefix) + std::string(random_part);
    if (mkdtemp(path_.data()) == nullptr) {
        throw Error(Code::build_failed, "A folder for the compiler, '" + path_ + "', could not be made: " +
                                            std::strerror(errno)); // NOLINT(concurrency-mt-unsafe)
    }
    lock_ = open_folder(path_);
    if (lock_ >= 0) {
        flock(lock_, LOCK_EX | LOCK_NB);
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
    if (lock_ >= 0) {
        close(lock_);
    }
}

void remove_left_folders(const std::string& place) noexcept {
    try {
        for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
            const std::string name = entry.path().filename();
            if (name.starts_with(prefix) && name.size() == prefix.size() + random_part.size()) {
                try {
                    remove_if_left(entry.path());
                } catch (const std::exception&) { // Another process removes it too.
                }
            }
        }
    } catch (const std::exception&) { // If the place has a problem, creating a folder there reports it.
    }
}

} // namespace ferry::host
