// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/buffer.hpp>
#include <ferry/export.hpp>
#include <ferry/queue.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>
#include <ferry/view.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ferry {

/// The progress of a copy to or from a file, in bytes.
struct FileProgress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};

struct FileOptions {
    /// Byte offset in the file. Default: none. read_file(): the first byte to read; without an offset,
    /// reading starts at byte 0. write_file(): with an offset, the file is written in place from that byte
    /// on, and its other bytes stay unchanged; without an offset, the file is replaced as a whole.
    std::optional<std::uint64_t> offset{};
    /// Called on a thread of the library each time a part is done. The last call has done == total and comes
    /// before the command is complete. The copy continues when the function returns, so the function must not
    /// wait for this queue. An exception of any type that leaves the function fails the command with
    /// command_failed.
    std::function<void(const FileProgress&)> progress{};
};

namespace detail {
template <class T>
concept PathText = std::is_convertible_v<const T&, std::string_view>;
/// std::filesystem::path, without its header.
template <class T>
concept PathObject = !PathText<T> && requires(const T& path) {
    std::string_view(path.native());
};
/// std::filesystem::directory_entry
template <class T>
concept PathEntry = !PathText<T> && requires(const T& entry) {
    std::string_view(entry.path().native());
};
} // namespace detail

/// The path of a file: text, a std::filesystem::path or a std::filesystem::directory_entry.
class FilePath {
public:
    template <detail::PathText T>
    FilePath(const T& text) : text_(std::string_view(text)) {}
    template <detail::PathObject T>
    FilePath(const T& path) : text_(path.native()) {}
    template <detail::PathEntry T>
    FilePath(const T& entry) : text_(entry.path().native()) {}

    const std::string& string() const noexcept { return text_; }

private:
    std::string text_;
};

namespace detail {
FERRY_API void read_file(Queue& queue, const FilePath& path, const Region& to, FileOptions options,
                         SourceLocation where);
FERRY_API void write_file(Queue& queue, const Region& from, const FilePath& path, FileOptions options,
                          SourceLocation where);
template <DeviceElements R>
Region file_region(R&& range) {
    return range.region();
}
} // namespace detail

/// Fills a buffer or view of the queue's device with the bytes of a file, without conversion. It is an
/// ordinary command of the queue: asynchronous, in order, and complete when an event recorded after it is
/// complete. Disk and bus work at the same time, through a few staging slots of the library
/// (ferry/staging.hpp). Parts of the file that are in the system's page cache are read from there; no other
/// part is added to the page cache.
///
/// The call opens the file and checks its length. Throws Error: not_found (no such file), unavailable (the
/// file cannot be opened), out_of_range (the file is shorter than offset + bytes, or offset + bytes exceeds
/// 2^63 - 1, the maximum size of a file), invalid_argument (not a regular file; the destination is on another
/// device), invalid_state (the destination is mapped). If a later read fails, or the file has become shorter,
/// the command fails with the path, the byte and the system's message.
template <detail::DeviceElements D>
void read_file(Queue& queue, const FilePath& path, D&& destination, FileOptions options = {},
               SourceLocation where = SourceLocation::current()) {
    detail::check_writable<D>();
    detail::read_file(queue, path, detail::file_region(destination), std::move(options), where);
}

/// Writes a buffer or view of the queue's device to a file, as a command like read_file().
///
/// Without an offset, the data is written under a temporary name in the same folder, made durable, and then
/// renamed. The path therefore always shows the complete old file or the complete new file. The new file gets
/// the mode and the access control list of the old file. It gets the old owner and group if the process may
/// set them; if not, the rights of the group are reduced to those of others. Other hard links keep the old
/// contents. Symbolic links are followed.
///
/// With an offset, the file is written in place, and created if it does not exist.
///
/// Throws Error during the call: unavailable (the file cannot be created), not_found (no such folder),
/// out_of_range (offset + bytes exceeds 2^63 - 1, the maximum size of a file), invalid_argument (the path is
/// a pipe or, without an offset, not a regular file; the source is on another device), invalid_state (as for
/// read_file()). A full disk fails the command later, with the path, the byte and the system's message.
template <detail::DeviceElements S>
void write_file(Queue& queue, const S& source, const FilePath& path, FileOptions options = {},
                SourceLocation where = SourceLocation::current()) {
    detail::write_file(queue, detail::file_region(source), path, std::move(options), where);
}

} // namespace ferry
