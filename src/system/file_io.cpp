// SPDX-License-Identifier: Apache-2.0
#include "system/file_io.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <vector>

namespace ferry::detail {
namespace {

/// While a file is written: exceeding a size limit (ulimit -f) is an error and does not end the process.
class NoSizeSignal {
public:
    NoSizeSignal() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    NoSizeSignal(const NoSizeSignal&) = delete;
    NoSizeSignal& operator=(const NoSizeSignal&) = delete;
    ~NoSizeSignal() {
        if (sigismember(&before_, SIGXFSZ) == 0) {
            const timespec now{};
            sigtimedwait(&signal_, nullptr, &now);
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t signal_{};
    sigset_t before_{};
};

/// Copies the access control list. If there is one, the group bits of the mode are the maximum for all
/// entries of the list, not the rights of the group. Returns false if that is not possible.
bool copy_list(const FileDescriptor& folder, const std::string& name, const FileDescriptor& file) {
    constexpr const char* list = "system.posix_acl_access";
    const std::string from = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name;
    std::vector<char> entries(std::size_t{64} << 10); // The largest size that Linux stores.
    const ssize_t bytes = ::lgetxattr(from.c_str(), list, entries.data(), entries.size());
    if (bytes > 0) {
        return ::fsetxattr(file.get(), list, entries.data(), static_cast<std::size_t>(bytes), 0) == 0;
    }
    if (bytes < 0 && errno != ENODATA && errno != ENOTSUP) {
        return false; // For example, without /proc: a list may exist.
    }
    ::fremovexattr(file.get(), list); // Inherited from the folder.
    return true;
}

} // namespace

Transferred read_at(const FileDescriptor& file, std::span<std::byte> to, std::uint64_t at,
                    ReadFrom from) noexcept {
    Transferred done;
    while (done.bytes < to.size()) {
        const std::span<std::byte> rest = to.subspan(done.bytes);
        const iovec part{rest.data(), rest.size()};
        const auto place = static_cast<off_t>(at + done.bytes);
        const ssize_t got = from == ReadFrom::page_cache
                                ? ::preadv2(file.get(), &part, 1, place, RWF_NOWAIT)
                                : ::pread(file.get(), rest.data(), rest.size(), place);
        if (got > 0) {
            done.bytes += static_cast<std::size_t>(got);
        } else if (got == 0 || errno != EINTR) {
            done.error = got == 0 ? 0 : errno;
            break;
        }
    }
    return done;
}

Transferred write_at(const FileDescriptor& file, std::span<const std::byte> from, std::uint64_t at) noexcept {
    const NoSizeSignal quiet;
    Transferred done;
    while (done.bytes < from.size()) {
        const std::span<const std::byte> rest = from.subspan(done.bytes);
        const ssize_t put =
            ::pwrite(file.get(), rest.data(), rest.size(), static_cast<off_t>(at + done.bytes));
        if (put > 0) {
            done.bytes += static_cast<std::size_t>(put);
        } else if (put == 0 || errno != EINTR) {
            done.error = put == 0 ? ENOSPC : errno;
            break;
        }
    }
    return done;
}

std::uint64_t size_of(const FileDescriptor& file) noexcept {
    struct stat status {};
    const off_t bytes = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)
                            ? status.st_size
                            : ::lseek(file.get(), 0, SEEK_END);
    return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

bool resize_file(const FileDescriptor& file, std::uint64_t bytes) noexcept {
    return ::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0;
}

int reserve_space(const FileDescriptor& file, std::uint64_t bytes) noexcept {
    return ::fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
}

int flush_to_disk(const FileDescriptor& file) noexcept {
    return ::fdatasync(file.get()) == 0 ? 0 : errno;
}

void mark_as_used(const FileDescriptor& file) noexcept {
    const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    ::futimens(file.get(), times);
}

void set_page_cache_use(const FileDescriptor& file, PageCacheUse use, std::uint64_t at,
                        std::uint64_t bytes) noexcept {
    const auto first = static_cast<off_t>(at);
    const auto count = static_cast<off_t>(bytes);
    if (use == PageCacheUse::write_and_drop) { // Only clean pages can be dropped.
        ::sync_file_range(file.get(), first, count,
                          SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    }
    if (use == PageCacheUse::no_read_ahead) {
        ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
    } else {
        ::posix_fadvise(file.get(), first, count, POSIX_FADV_DONTNEED);
    }
}

int copy_rights(const FileDescriptor& folder, const std::string& name, const FileStatus& status,
                const FileDescriptor& file) {
    bool same_group = copy_list(folder, name, file);
    const FileStatus mine = status_of(file).value_or(FileStatus{});
    auto mode = static_cast<mode_t>(status.permissions);
    if (mine.group != status.group) {
        same_group = ::fchown(file.get(), static_cast<uid_t>(-1), status.group) == 0 && same_group;
    }
    if (!same_group) {
        mode = (mode & ~static_cast<mode_t>(S_ISGID | S_IRWXG)) | ((mode & S_IRWXO) << 3U);
    }
    if (mine.owner != status.owner && ::fchown(file.get(), status.owner, static_cast<gid_t>(-1)) != 0) {
        mode &= ~static_cast<mode_t>(S_ISUID);
    }
    return mine.permissions == mode || ::fchmod(file.get(), mode) == 0 ? 0 : errno;
}

} // namespace ferry::detail
