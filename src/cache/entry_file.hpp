// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "directory.hpp"
#include "system/file_descriptor.hpp"
#include "system/folder.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// Single files of the cache, in its open directory.
namespace ferry::cache {

/// The maximum size of an entry, whatever the limit of the cache.
inline constexpr std::uint64_t largest_entry = std::uint64_t{1} << 30U;

/// The result of reading an entry's file.
enum class Outcome {
    absent,
    failed,  ///< The system did not allow the read. The file may be valid.
    damaged, ///< It is not a file that Ferry could have written here, or was truncated during the read.
    read,    ///< `bytes` has the whole file, which decode() must check.
};

struct EntryFile {
    Outcome outcome = Outcome::absent;
    detail::FileDescriptor file;
    detail::FileStatus status;
    std::string bytes;
    Failure failure;
};

/// Entries and temporary files are opened so. A link or a pipe instead of the file is damage, and the time of
/// last use is set by touch() only.
inline constexpr detail::OpenOptions entry_options{.follows_link = false, .keeps_used_time = true};

/// Reads the whole file into memory, so that the checked bytes are the used ones, whatever happens to the
/// file. Does not wait (a pipe instead of the file counts as damaged) and does not change the time of last
/// use. Throws only std::bad_alloc.
EntryFile read_entry_file(const detail::FileDescriptor& directory, const std::string& name);

/// Sets the time of last use to now.
void touch(const EntryFile& entry) noexcept;
/// Removes the name unless another file has it now.
bool remove_entry_file(const detail::FileDescriptor& directory, const std::string& name,
                       const EntryFile& entry) noexcept;

/// A file with a temporary name until it is published under another one. The object removes the temporary
/// name. If the process dies before that, remove_if_abandoned() does: a lock on the file shows that its
/// writer is alive.
class TemporaryFile {
public:
    explicit TemporaryFile(const detail::FileDescriptor& directory);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    /// Returns false if a step failed; failure() has it, and nothing was published.
    bool publish(std::string_view bytes, const std::string& name) noexcept;
    const Failure& failure() const noexcept { return failure_; }

private:
    const detail::FileDescriptor& directory_;
    std::string name_;
    detail::FileDescriptor file_;
    Failure failure_;
    bool published_ = false;
};

bool is_temporary_name(std::string_view name) noexcept;
/// Removes the temporary file of an ended process. If `at_once` is false, it is kept for its first ten
/// seconds.
bool remove_if_abandoned(const detail::FileDescriptor& directory, const char* name,
                         const detail::FileStatus& status, bool at_once) noexcept;

} // namespace ferry::cache
