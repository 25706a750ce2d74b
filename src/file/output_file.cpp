// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "file/file.hpp"
#include "file/file_error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ferry::detail::staging {

OutputFile::OutputFile(const std::string& path, bool whole, std::uint64_t bytes, SourceLocation where) {
    path_ = path;
    if (whole) {
        write_anew(path, bytes, where);
    } else {
        write_in_place(path, where);
    }
}

void OutputFile::write_anew(const std::string& path, std::uint64_t bytes, SourceLocation where) {
    whole_.emplace(path, where);
    cached_ = whole_->make();
    if (cached_ < 0) {
        throw_open_error(path, "opened for writing", errno, where);
    }
    // Reserves the space now, so that a full disk is reported early. Not all file systems support this.
    if (bytes != 0 && fallocate(cached_, 0, 0, static_cast<off_t>(bytes)) != 0 &&
        (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
        throw Error(Code::unavailable,
                    "The file '" + path + "' of " + in_bytes(bytes) +
                        " cannot be written: " + words_of(errno),
                    where);
    }
    open_direct(whole_->folder(), whole_->temporary(), O_WRONLY);
}

void OutputFile::write_in_place(const std::string& path, SourceLocation where) {
    constexpr mode_t usual_access = 0666; // Reduced by the umask.
    cached_ = open_at_once(AT_FDCWD, path, O_RDWR | O_CREAT, usual_access);
    struct stat facts {};
    if (cached_ < 0 || fstat(cached_, &facts) != 0) {
        throw_open_error(path, "opened for writing", errno, where);
    }
    if (S_ISFIFO(facts.st_mode)) {
        throw Error(Code::invalid_argument,
                    "'" + path + "' is not a file of bytes that can be written at any place", where);
    }
    open_direct(AT_FDCWD, path, O_WRONLY);
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
            use_direct_ = false; // The file can be opened for direct I/O, but not written.
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
    // Only clean pages can be dropped from the page cache.
    sync_file_range(cached_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    posix_fadvise(cached_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
}

void OutputFile::commit() {
    if (whole_) {
        whole_->take_access(cached_);
    }
    struct stat facts {};
    const bool regular = fstat(cached_, &facts) == 0 && S_ISREG(facts.st_mode);
    if (regular && fdatasync(cached_) != 0) {
        throw Error(Code::command_failed,
                    "The file '" + path_ + "' could not be made durable: " + words_of(errno));
    }
    if (whole_) {
        whole_->take_place();
    }
}

} // namespace ferry::detail::staging
