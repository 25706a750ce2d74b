// SPDX-License-Identifier: Apache-2.0
#include "system/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace ferry::detail {

FileDescriptor open_folder(const std::string& path, FolderUse use) noexcept {
    const int access = use == FolderUse::all ? O_RDONLY : O_PATH;
    return FileDescriptor(::open(path.c_str(), access | O_DIRECTORY | O_CLOEXEC));
}

bool make_private_folder(const char* path) noexcept {
    return ::mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool is_missing(const std::string& path) noexcept {
    return ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
}

bool may_make_folders_in(const std::string& path) noexcept {
    struct statfs system {};
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0 ||
        ::statfs(path.c_str(), &system) != 0) {
        return false;
    }
    if (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC) {
        errno = ENOENT;
        return false;
    }
    return true;
}

void list_files(const FileDescriptor& folder,
                const std::function<void(const char* name, const FileStatus& status)>& visit) {
    const int again = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0) {
        return;
    }
    const auto close = [](DIR* stream) { ::closedir(stream); };
    const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(again), close);
    if (stream == nullptr) {
        ::close(again);
        return;
    }
    while (const struct dirent* item = ::readdir(stream.get())) {
        const std::optional<FileStatus> status = status_in(folder, item->d_name);
        if (status && status->kind != FileKind::folder) {
            visit(item->d_name, *status);
        }
    }
}

bool rename_in(const FileDescriptor& folder, const char* name, const char* new_name) noexcept {
    const int number = folder ? folder.get() : AT_FDCWD;
    return ::renameat(number, name, number, new_name) == 0;
}

bool remove_in(const FileDescriptor& folder, const char* name) noexcept {
    return ::unlinkat(folder ? folder.get() : AT_FDCWD, name, 0) == 0;
}

} // namespace ferry::detail
