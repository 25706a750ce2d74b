// SPDX-License-Identifier: Apache-2.0
#include "system/temporary_folder.hpp"

#include "system/files.hpp"
#include "system/thread.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>

namespace ferry::detail {
namespace {

namespace fs = std::filesystem;

struct Kind {
    std::string_view prefix; ///< Of the name, before random_part.
    std::string_view file;   ///< One of the files of a folder that is not empty.
};
constexpr std::array kinds{Kind{"ferry-build-", "kernels.cpp"}, Kind{"ferry-icd-", "100.icd"}};
constexpr std::string_view random_part = "XXXXXX";
constexpr std::string_view kernels_prefix = "ferry-kernels-";
constexpr std::string_view kernels_suffix = ".so";
constexpr std::chrono::seconds young{60}; // They have no lock for an instant after their creation.

constexpr OpenOptions to_lock{.follows_link = false};

// Empty, or files only and the one of the kind among them, so it cannot be a folder of another program.
bool is_of_kind(const std::string& path, const Kind& kind) {
    bool found = false;
    bool empty = true;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
        if (!fs::is_regular_file(entry.symlink_status())) {
            return false;
        }
        empty = false;
        found = found || entry.path().filename() == kind.file;
    }
    return found || empty;
}

// `kind`: of a folder. Null: a file of kernels.
void remove_if_left(const std::string& path, const Kind* kind) {
    const FileDescriptor opened = open_file(path, to_lock);
    const std::optional<FileStatus> status = status_of(opened);
    const FileKind wanted = kind != nullptr ? FileKind::folder : FileKind::regular;
    const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
    if (status && status->owner == effective_user() && status->permissions == 0700 &&
        status->kind == wanted && status->written < now - young && try_lock_file(opened) == FileLock::taken &&
        (kind == nullptr || is_of_kind(path, *kind))) {
        std::error_code error;
        fs::remove_all(path, error);
    }
}

} // namespace

std::string temporary_place() {
    const char* const named = secure_getenv("TMPDIR");
    std::string place = named != nullptr && *named == '/' ? named : "/tmp";
    static std::once_flag first;
    std::call_once(first, [&] { remove_left_temporaries(place); });
    return place;
}

TemporaryFolder::TemporaryFolder(TemporaryKind kind)
    : path_(temporary_place() + '/' + std::string(kinds[static_cast<std::size_t>(kind)].prefix) +
            std::string(random_part)) {
    if (mkdtemp(path_.data()) == nullptr) {
        error_ = errno;
        return;
    }
    lock_ = open_file(path_, to_lock);
    static_cast<void>(try_lock_file(lock_));
}

TemporaryFolder::~TemporaryFolder() {
    if (error_ == 0) {
        std::error_code error;
        fs::remove_all(path_, error);
    }
}

std::string temporary_kernels_name(std::uint64_t number) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return temporary_place() + '/' + std::string(kernels_prefix) + std::to_string(process_number()) + '-' +
           std::to_string(number) + '-' + std::to_string(now.count()) + std::string(kernels_suffix);
}

void remove_left_temporaries(const std::string& place) noexcept {
    try {
        for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
            const std::string name = entry.path().filename();
            try {
                for (const Kind& kind : kinds) {
                    if (name.starts_with(kind.prefix) &&
                        name.size() == kind.prefix.size() + random_part.size()) {
                        remove_if_left(entry.path(), &kind);
                    }
                }
                if (name.starts_with(kernels_prefix) && name.ends_with(kernels_suffix)) {
                    remove_if_left(entry.path(), nullptr);
                }
            } catch (const std::exception&) { // Another process removes it too.
            }
        }
    } catch (const std::exception&) { // If the place has a problem, creating a folder there reports it.
    }
}

} // namespace ferry::detail
