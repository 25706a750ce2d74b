// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "file/file.hpp"
#include "file/file_error.hpp"

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
    if (!cached_) {
        throw_open_error(path, "opened for writing", errno, where);
    }
    // Reserves the space now, so that a full disk is reported early. Not all file systems support this.
    const int error = bytes != 0 ? reserve_space(cached_, bytes) : 0;
    if (error == ENOSPC || error == EFBIG || error == EDQUOT) {
        throw Error(Code::unavailable,
                    "The file '" + path + "' of " + in_bytes(bytes) +
                        " cannot be written: " + words_of(error),
                    where);
    }
    open_direct(whole_->folder(), whole_->temporary(), {.reads = false, .writes = true});
}

void OutputFile::write_in_place(const std::string& path, SourceLocation where) {
    cached_ = open_file(
        path, {.writes = true, .create = OpenOptions::Create::if_missing, .permissions = usual_permissions});
    const auto status = cached_ ? status_of(cached_) : std::nullopt;
    if (!status) {
        throw_open_error(path, "opened for writing", errno, where);
    }
    if (status->kind == FileKind::pipe) {
        throw Error(Code::invalid_argument,
                    "'" + path + "' is not a file of bytes that can be written at any place", where);
    }
    open_direct({}, path, {.reads = false, .writes = true});
}

void OutputFile::write(const std::byte* from, std::uint64_t offset, std::size_t bytes) {
    std::size_t done = 0;
    const bool aligned = offset % file_page == 0 && reinterpret_cast<std::uintptr_t>(from) % file_page == 0;
    const std::size_t pages = aligned ? bytes / file_page * file_page : 0;
    if (use_direct_ && pages != 0) {
        const Transferred put = write_at(direct_, {from, pages}, offset);
        check_direct(put, "Writing", offset, bytes);
        done = put.bytes;
    }
    write_through(from + done, offset + done, bytes - done);
}

void OutputFile::write_through(const std::byte* from, std::uint64_t offset, std::size_t bytes) const {
    if (bytes == 0) {
        return;
    }
    const Transferred put = write_at(cached_, {from, bytes}, offset);
    if (put.error != 0) {
        throw_transfer_error("Writing", path_, offset + put.bytes, bytes - put.bytes, words_of(put.error));
    }
    set_page_cache_use(cached_, PageCacheUse::write_and_drop, offset, bytes);
}

void OutputFile::commit() {
    if (whole_) {
        whole_->take_access(cached_);
    }
    const auto status = status_of(cached_);
    if (const int error = status && status->is_regular() ? flush_to_disk(cached_) : 0; error != 0) {
        throw Error(Code::command_failed,
                    "The file '" + path_ + "' could not be made durable: " + words_of(error));
    }
    if (whole_) {
        whole_->take_place();
    }
}

} // namespace ferry::detail::staging
