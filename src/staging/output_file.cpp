// SPDX-License-Identifier: Apache-2.0
#include "staging/file.hpp"
#include "staging/file_error.hpp"
#include "text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace ferry::detail::staging {
namespace {

constexpr mode_t usual_access = 0666; // less what the process masks

/// mkstemp() makes files that nobody else may read; this one is to be as if made by open().
int make_beside(const std::string& path, std::string& name) {
    static std::atomic<unsigned> number{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
        name = path + ".part-" + std::to_string(getpid()) + "-" + std::to_string(number++);
        const int file = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, usual_access);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

} // namespace

OutputFile::OutputFile(const std::string& path, bool whole, std::uint64_t bytes, SourceLocation where)
    : whole_(whole) {
    path_ = path;
    std::string name = path;
    cached_ =
        whole ? make_beside(path, name) : open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, usual_access);
    if (cached_ < 0) {
        throw_open_error(path, "opened for writing", errno, where);
    }
    if (whole) {
        temporary_ = name;
        // Room is found now, if it can be found beforehand. A file system that cannot tell does not.
        if (bytes != 0 && fallocate(cached_, 0, 0, static_cast<off_t>(bytes)) != 0 &&
            (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
            const int error = errno;
            unlink(name.c_str());
            throw Error(Code::unavailable,
                        "The file '" + path + "' of " + in_bytes(bytes) +
                            " cannot be written: " + words_of(error),
                        where);
        }
    }
    direct_ = open(name.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT);
    use_direct_ = direct_ >= 0;
}

OutputFile::~OutputFile() {
    if (!temporary_.empty()) {
        unlink(temporary_.c_str());
    }
}

void OutputFile::write(const std::byte* from, std::uint64_t offset, std::size_t bytes) {
    std::size_t done = 0;
    const bool aligned = offset % file_page == 0 && reinterpret_cast<std::uintptr_t>(from) % file_page == 0;
    const std::size_t pages = aligned ? bytes / file_page * file_page : 0;
    while (use_direct_ && done < pages) {
        const ssize_t put = pwrite(direct_, from + done, pages - done, static_cast<off_t>(offset + done));
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0 && errno == EINVAL) {
            use_direct_ = false; // opened so, and yet not written so
            break;
        }
        if (put < 0) {
            throw_transfer_error("Writing", path_, offset + done, bytes - done, words_of(errno));
        }
        done += static_cast<std::size_t>(put);
        if (static_cast<std::size_t>(put) % file_page != 0) {
            break;
        }
    }
    write_through(from + done, offset + done, bytes - done);
}

void OutputFile::write_through(const std::byte* from, std::uint64_t offset, std::size_t bytes) const {
    if (bytes == 0) {
        return;
    }
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t put = pwrite(cached_, from + done, bytes - done, static_cast<off_t>(offset + done));
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            throw_transfer_error("Writing", path_, offset + done, bytes - done,
                                 put < 0 ? words_of(errno) : "nothing was written");
        }
        done += static_cast<std::size_t>(put);
    }
    // Only clean pages can be dropped.
    sync_file_range(cached_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    posix_fadvise(cached_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
}

void OutputFile::commit() {
    struct stat facts {};
    const bool regular = fstat(cached_, &facts) == 0 && S_ISREG(facts.st_mode);
    if (regular && fdatasync(cached_) != 0) {
        throw Error(Code::command_failed,
                    "The file '" + path_ + "' could not be made durable: " + words_of(errno));
    }
    if (whole_) {
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            throw Error(Code::command_failed, "The file '" + temporary_ + "' could not be given the name '" +
                                                  path_ + "': " + words_of(errno));
        }
        temporary_.clear();
    }
}

} // namespace ferry::detail::staging
