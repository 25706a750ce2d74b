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

/// How far a copy to or from a file is, bytes.
struct FileProgress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};

struct FileOptions {
    /// read_file(): the first byte to read; none is 0. write_file(): none writes the whole file anew; a
    /// number writes in place from that byte on, and leaves the rest of the file as it is.
    std::optional<std::uint64_t> offset{};
    /// Called on a thread of the library each time a part is done; the last call has done == total and comes
    /// before the command is complete. It holds the copy up, and must not wait for this queue. An exception
    /// of whatever type that leaves it fails the command, with command_failed.
    std::function<void(const FileProgress&)> progress{};
};

/// The path of a file: text, or a std::filesystem::path.
class FilePath {
public:
    template <class T>
        requires std::is_convertible_v<const T&, std::string_view> FilePath(const T& text)
            : text_(std::string_view(text)) {}
        template <class Path>
            requires requires(const Path& path) {
                std::string_view(path.native());
            }
        FilePath(const Path& path) : text_(path.native()) {}

        const std::string& string() const noexcept {
            return text_;
        }

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

/// Fills a buffer or view of the queue's device with bytes of a file, as they are. A command of the queue
/// like any other: asynchronous, in order, complete when an event recorded after it is. Disk and bus work at
/// the same time, through a few slots of the library (ferry/staging.hpp); no copy of the file stays in the
/// system's page cache, but what is there already is taken from it.
///
/// The file is opened, and its length checked, during the call. Throws Error: not_found (no such file),
/// unavailable (it cannot be opened), out_of_range (shorter than offset + bytes, or these
/// are more than the 2^63 - 1 that a file can have), invalid_argument (not a file of bytes; the destination
/// is on another device), invalid_state (mapped). Reading that fails later, and a file that became shorter,
/// fail the command with the path, the byte and the system's words.
template <detail::DeviceElements D>
void read_file(Queue& queue, const FilePath& path, D&& destination, FileOptions options = {},
               SourceLocation where = SourceLocation::current()) {
    detail::check_writable<D>();
    detail::read_file(queue, path, detail::file_region(destination), std::move(options), where);
}

/// Writes a buffer or view of the queue's device to a file, as read_file() reads it. Without an offset the
/// file is written under a temporary name in the same folder, made durable, and renamed when all is there:
/// under its name there is the old file or the whole new one, never a part. The new file gets the mode and
/// the access control list of the old one, and its owner and group where the process may give them; where
/// not, the group's rights shrink to those of all others. Other hard links stay with the old bytes, symbolic
/// links are followed. With an offset it is written in place; the file is made if there is none.
///
/// Throws Error during the call: unavailable (the file cannot be made), not_found (no such folder),
/// out_of_range (offset + bytes are more than the 2^63 - 1 that a file can have), invalid_argument (a pipe,
/// and without an offset whatever is no regular file; the source is on another device), invalid_state as
/// read_file(). A full disk fails the command later, with the path, the byte and the system's words.
template <detail::DeviceElements S>
void write_file(Queue& queue, const S& source, const FilePath& path, FileOptions options = {},
                SourceLocation where = SourceLocation::current()) {
    detail::write_file(queue, detail::file_region(source), path, std::move(options), where);
}

} // namespace ferry
