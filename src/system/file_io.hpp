// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/files.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

// Reads and writes at positions of open files. Several threads may use a file. The functions for the page
// cache are hints; a system without them ignores them.
namespace ferry::detail {

/// The largest position in a file.
inline constexpr std::uint64_t most_file_bytes = std::numeric_limits<std::int64_t>::max();

/// The result of a read or a write.
struct Transferred {
    std::size_t bytes = 0;
    int error = 0; ///< An errno value if a call failed.
};

enum class ReadFrom : std::uint8_t {
    anywhere,
    page_cache, ///< Stops, with EAGAIN, where the bytes are not in the page cache.
};
/// Reads to the end of `to` or of the file.
Transferred read_at(const FileDescriptor& file, std::span<std::byte> to, std::uint64_t at,
                    ReadFrom from = ReadFrom::anywhere) noexcept;
/// Writes all bytes. The process's limit on file sizes is an error and does not end the process with a
/// signal.
Transferred write_at(const FileDescriptor& file, std::span<const std::byte> from, std::uint64_t at) noexcept;

/// Bytes of a file or a block device.
std::uint64_t size_of(const FileDescriptor& file) noexcept;
/// Cuts off the bytes after this size, or adds zeros.
bool resize_file(const FileDescriptor& file, std::uint64_t bytes) noexcept;
/// Reserves the space of a new file. Returns 0 or an errno value.
int reserve_space(const FileDescriptor& file, std::uint64_t bytes) noexcept;
/// Returns when the bytes are on the disk. Returns 0 or an errno value.
int flush_to_disk(const FileDescriptor& file) noexcept;
/// Sets the time of last use to now.
void mark_as_used(const FileDescriptor& file) noexcept;

enum class PageCacheUse : std::uint8_t {
    no_read_ahead,  ///< Of the whole file.
    drop,           ///< Drops clean pages of the range.
    write_and_drop, ///< Writes the range to the disk first.
};
void set_page_cache_use(const FileDescriptor& file, PageCacheUse use, std::uint64_t at = 0,
                        std::uint64_t bytes = 0) noexcept;

/// Gives `file` the mode, the owner, the group and the access control list of another file, as far as this
/// process may, but gives no user new rights: if the group or the list cannot be copied, the group gets only
/// the rights of other users. The other file has this status, and this name in the folder. Returns 0, or an
/// errno value if the mode could not be set.
int copy_rights(const FileDescriptor& folder, const std::string& name, const FileStatus& status,
                const FileDescriptor& file);

} // namespace ferry::detail
