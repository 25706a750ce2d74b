// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "file/file.hpp"
#include "file/file_error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ferry::detail::staging {

File::~File() {
    for (const int file : {cached_, direct_}) {
        if (file >= 0) {
            close(file);
        }
    }
}

int File::open_at_once(int folder, const std::string& name, int flags, mode_t access) {
    const int file = openat(folder, name.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, access);
    if (file >= 0) {
        fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
    }
    return file;
}

void File::open_direct(int folder, const std::string& name, int flags) {
    direct_ = open_at_once(folder, name, flags | O_DIRECT);
    struct stat one {
    }, other{};
    use_direct_ = direct_ >= 0 && fstat(cached_, &one) == 0 && fstat(direct_, &other) == 0 &&
                  // Another file may have the name now.
                  one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

InputFile::InputFile(const std::string& path, std::uint64_t offset, std::uint64_t bytes,
                     SourceLocation where) {
    path_ = path;
    cached_ = open_at_once(AT_FDCWD, path, O_RDONLY);
    struct stat facts {};
    if (cached_ < 0 || fstat(cached_, &facts) != 0) {
        throw_open_error(path, "opened for reading", errno, where);
    }
    if (!S_ISREG(facts.st_mode) && !S_ISBLK(facts.st_mode)) {
        throw Error(Code::invalid_argument,
                    "'" + path + "' is not a file of bytes that can be read at any place", where);
    }
    const auto size =
        static_cast<std::uint64_t>(S_ISREG(facts.st_mode) ? facts.st_size : lseek(cached_, 0, SEEK_END));
    if (offset > size || bytes > size - offset) {
        throw Error(Code::out_of_range,
                    "The range of " + in_bytes(bytes) + " from byte " + std::to_string(offset) +
                        " on leaves the file '" + path + "' of " + in_bytes(size),
                    where);
    }
    open_direct(AT_FDCWD, path, O_RDONLY);
    cache_ = PageCache(cached_);
    // No read-ahead: the next piece would find the bytes in the page cache, attribute them to another
    // program, and leave them there.
    posix_fadvise(cached_, 0, 0, POSIX_FADV_RANDOM);
}

std::size_t InputFile::read_cached(std::byte* to, std::uint64_t offset, std::size_t bytes) const {
    std::size_t done = 0;
    while (done < bytes) {
        const iovec part{to + done, bytes - done};
        const ssize_t got = preadv2(cached_, &part, 1, static_cast<off_t>(offset + done), RWF_NOWAIT);
        if (got <= 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::size_t InputFile::read_direct(std::byte* slot, std::uint64_t offset, std::size_t bytes) {
    const std::uint64_t first = offset / file_page * file_page;
    const std::uint64_t end = (offset + bytes + file_page - 1) / file_page * file_page;
    std::uint64_t at = first;
    while (use_direct_ && at < offset + bytes) {
        const ssize_t got = pread(direct_, slot + (at - first), end - at, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && errno == EINVAL) {
            use_direct_ = false; // The file can be opened for direct I/O, but not read.
        } else if (got < 0) {
            throw_transfer_error("Reading", path_, at, end - at, words_of(errno));
        }
        if (got <= 0 || static_cast<std::size_t>(got) % file_page != 0) {
            at += got > 0 ? static_cast<std::uint64_t>(got) : 0;
            break; // End of file.
        }
        at += static_cast<std::uint64_t>(got);
    }
    return at > offset ? static_cast<std::size_t>(std::min<std::uint64_t>(at - offset, bytes)) : 0;
}

void InputFile::read_through(std::byte* to, std::uint64_t offset, std::size_t bytes, bool keep) const {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t got = pread(cached_, to + done, bytes - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            throw_transfer_error("Reading", path_, offset + done, bytes - done, words_of(errno));
        }
        if (got == 0) {
            throw_transfer_error("Reading", path_, offset, bytes,
                                 "the file ends at byte " + std::to_string(offset + done) +
                                     "; it became shorter since the copy was enqueued");
        }
        done += static_cast<std::size_t>(got);
    }
    if (!keep) {
        posix_fadvise(cached_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
    }
}

void InputFile::read(std::byte* slot, std::uint64_t offset, std::size_t bytes) {
    std::byte* const to = slot + offset % file_page;
    // Bytes in the page cache are copied from there. A piece that is cached only in part is read directly,
    // because two calls are not worth it.
    const bool cached = cache_.has(offset, bytes);
    if (cached && read_cached(to, offset, bytes) == bytes) {
        return;
    }
    const std::size_t done = read_direct(slot, offset, bytes);
    if (done != bytes) {
        read_through(to + done, offset + done, bytes - done, cached);
    }
}

} // namespace ferry::detail::staging
