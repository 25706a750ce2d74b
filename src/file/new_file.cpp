// SPDX-License-Identifier: Apache-2.0
#include "file/new_file.hpp"

#include "file/file_error.hpp"

#include <ferry/error.hpp>

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace ferry::detail::staging {
namespace {

constexpr const char* purpose = "opened for writing";
constexpr mode_t usual_access = 0666; // Reduced by the umask.
constexpr mode_t own_access = 0600;
constexpr mode_t all_access = 07777;
constexpr int most_links = 40; // The limit of Linux.

const char* kind_of(mode_t mode) {
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISLNK(mode)  ? "a symbolic link"
                            : "a device";
}

/// Resolves symbolic links. The target need not exist.
std::filesystem::path behind_links(std::filesystem::path place) {
    std::error_code error;
    for (int links = 0; links < most_links; ++links) {
        const std::filesystem::path to = std::filesystem::read_symlink(place, error);
        if (error) {
            break;
        }
        place = place.parent_path() / to;
    }
    return place;
}

} // namespace

NewFile::NewFile(const std::string& path, SourceLocation where) : path_(path) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) == 0) {
        replaced_ = facts;
    } else if (errno != ENOENT) {
        throw_open_error(path, purpose, errno, where);
    }
    if (replaced_ && !S_ISREG(replaced_->st_mode)) {
        throw Error(Code::invalid_argument,
                    "'" + path + "' is " + kind_of(replaced_->st_mode) +
                        "; without an offset, only a regular file is replaced by a new one",
                    where);
    }
    const std::filesystem::path place = behind_links(path);
    if (replaced_ && (lstat(place.c_str(), &facts) != 0 || facts.st_dev != replaced_->st_dev ||
                      facts.st_ino != replaced_->st_ino)) { // Links in /proc may point to unlinked files.
        throw Error(Code::invalid_argument,
                    "'" + path + "' leads to a file that is not at '" + place.string() +
                        "', so none can take its place there",
                    where);
    }
    name_ = place.filename().string();
    if (name_.empty()) {
        throw_open_error(path, purpose, ENOENT, where);
    }
    const std::filesystem::path parent = place.parent_path();
    folder_ = open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0) {
        throw_open_error(path, purpose, errno, where);
    }
}

NewFile::~NewFile() {
    if (!temporary_.empty()) {
        unlinkat(folder_, temporary_.c_str(), 0);
    }
    close(folder_);
}

// Does not use mkstemp(), whose files only the owner may read. A file that replaces none must get the same
// mode as with open().
int NewFile::make() {
    static std::atomic<unsigned> number{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::string name = ".ferry-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".part";
        const int file = openat(folder_, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                                replaced_ ? own_access : usual_access);
        if (file >= 0) {
            temporary_ = std::move(name);
        }
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

// If there is an access control list, the group bits of the mode are the maximum for all entries of the list,
// not the rights of the group.
bool NewFile::take_list(int file) const {
    constexpr const char* list = "system.posix_acl_access";
    const std::string from = "/proc/self/fd/" + std::to_string(folder_) + "/" + name_;
    std::vector<char> entries(std::size_t{64} << 10); // The largest size that Linux stores.
    const ssize_t bytes = lgetxattr(from.c_str(), list, entries.data(), entries.size());
    if (bytes > 0) {
        return fsetxattr(file, list, entries.data(), static_cast<std::size_t>(bytes), 0) == 0;
    }
    if (bytes < 0 && errno != ENODATA && errno != ENOTSUP) {
        return false; // For example, without /proc: a list may exist.
    }
    fremovexattr(file, list); // Inherited from the folder.
    return true;
}

void NewFile::take_access(int file) const {
    struct stat there {};
    if (fstatat(folder_, name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) {
        if (!S_ISREG(there.st_mode)) {
            throw Error(Code::command_failed, "'" + path_ + "' has become " + kind_of(there.st_mode) +
                                                  ", which is not replaced by a file");
        }
    } else if (replaced_) {
        there = *replaced_;
    } else {
        return;
    }
    // Must not grant new rights to any user. If the group or the list cannot be copied, the group gets only
    // the rights of other users.
    bool same_group = take_list(file);
    struct stat mine {};
    fstat(file, &mine);
    mode_t mode = there.st_mode & all_access;
    if (mine.st_gid != there.st_gid) {
        same_group = fchown(file, static_cast<uid_t>(-1), there.st_gid) == 0 && same_group;
    }
    if (!same_group) {
        mode = (mode & ~static_cast<mode_t>(S_ISGID | S_IRWXG)) | ((mode & S_IRWXO) << 3U);
    }
    if (mine.st_uid != there.st_uid && fchown(file, there.st_uid, static_cast<gid_t>(-1)) != 0) {
        mode &= ~static_cast<mode_t>(S_ISUID);
    }
    if ((mine.st_mode & all_access) != mode && fchmod(file, mode) != 0) {
        throw Error(Code::command_failed, "The new file in the place of '" + path_ +
                                              "' could not be given its mode: " + words_of(errno));
    }
}

void NewFile::take_place() {
    if (renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) {
        throw Error(Code::command_failed, "The file '" + temporary_ + "' could not take the place of '" +
                                              path_ + "': " + words_of(errno));
    }
    temporary_.clear();
}

} // namespace ferry::detail::staging
