// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "file/file.hpp"
#include "file/file_error.hpp"

#include <algorithm>
#include <cerrno>

namespace ferry::detail::staging {

void File::open_direct(const FileDescriptor& folder, const std::string& name, OpenOptions options) {
    options.direct = true;
    direct_ = open_file(folder, name.c_str(), options);
    const auto one = status_of(cached_);
    const auto other = direct_ ? status_of(direct_) : std::nullopt;
    use_direct_ = one && other && one->is_same_file(*other); // Another file may have the name now.
}

void File::check_direct(const Transferred& transferred, const char* doing, std::uint64_t offset,
                        std::size_t bytes) {
    if (transferred.error == EINVAL) {
        // The file can be opened for direct I/O, but not used. After a part of a page, only its rest is
        // refused.
        if (transferred.bytes % file_page == 0) {
            use_direct_ = false;
        }
    } else if (transferred.error != 0) {
        throw_transfer_error(doing, path_, offset + transferred.bytes, bytes - transferred.bytes,
                             words_of(transferred.error));
    }
}

InputFile::InputFile(const std::string& path, std::uint64_t offset, std::uint64_t bytes,
                     SourceLocation where) {
    path_ = path;
    cached_ = open_file(path, {});
    const auto status = cached_ ? status_of(cached_) : std::nullopt;
    if (!status) {
        throw_open_error(path, "opened for reading", errno, where);
    }
    if (!status->is_regular() && status->kind != FileKind::block_device) {
        throw Error(Code::invalid_argument,
                    "'" + path + "' is not a file of bytes that can be read at any place", where);
    }
    const std::uint64_t size = size_of(cached_);
    if (offset > size || bytes > size - offset) {
        throw Error(Code::out_of_range,
                    "The range of " + in_bytes(bytes) + " from byte " + std::to_string(offset) +
                        " on leaves the file '" + path + "' of " + in_bytes(size),
                    where);
    }
    open_direct({}, path, {});
    cache_ = PageCache(cached_);
    // The next piece would find the bytes in the page cache, attribute them to another program, and leave
    // them there.
    set_page_cache_use(cached_, PageCacheUse::no_read_ahead);
}

std::size_t InputFile::read_direct(std::byte* slot, std::uint64_t offset, std::size_t bytes) {
    if (!use_direct_) {
        return 0;
    }
    const std::uint64_t first = offset / file_page * file_page;
    const std::uint64_t end = (offset + bytes + file_page - 1) / file_page * file_page;
    const Transferred got = read_at(direct_, {slot, end - first}, first);
    check_direct(got, "Reading", first, end - first);
    const std::uint64_t at = first + got.bytes;
    return at > offset ? static_cast<std::size_t>(std::min<std::uint64_t>(at - offset, bytes)) : 0;
}

void InputFile::read_through(std::byte* to, std::uint64_t offset, std::size_t bytes, bool keep) const {
    const Transferred got = read_at(cached_, {to, bytes}, offset);
    if (got.error != 0) {
        throw_transfer_error("Reading", path_, offset + got.bytes, bytes - got.bytes, words_of(got.error));
    }
    if (got.bytes != bytes) {
        throw_transfer_error("Reading", path_, offset, bytes,
                             "the file ends at byte " + std::to_string(offset + got.bytes) +
                                 "; it became shorter since the copy was enqueued");
    }
    if (!keep) {
        set_page_cache_use(cached_, PageCacheUse::drop, offset, bytes);
    }
}

void InputFile::read(std::byte* slot, std::uint64_t offset, std::size_t bytes) {
    std::byte* const to = slot + offset % file_page;
    // Bytes in the page cache are copied from there. A piece that is cached only in part is read directly,
    // because two calls are not worth it.
    const bool cached = cache_.has(offset, bytes);
    if (cached && read_at(cached_, {to, bytes}, offset, ReadFrom::page_cache).bytes == bytes) {
        return;
    }
    const std::size_t done = read_direct(slot, offset, bytes);
    if (done != bytes) {
        read_through(to + done, offset + done, bytes - done, cached);
    }
}

} // namespace ferry::detail::staging
