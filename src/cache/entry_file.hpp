// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "directory.hpp"
#include "file_descriptor.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

// Single files of the cache, inside its open directory.
namespace ferry::cache {

/// No entry is larger, whatever the limit of the cache.
inline constexpr std::uint64_t largest_entry = std::uint64_t{1} << 30U;

/// What became of an attempt to read an entry's file.
enum class Outcome {
    absent,
    failed,  ///< the system did not let it be read; the file may be good
    damaged, ///< it is not a file that Ferry could have written here, or was cut while it was read
    read,    ///< `bytes` holds all of it; what they are worth is for decode() to say
};

struct EntryFile {
    Outcome outcome = Outcome::absent;
    FileDescriptor file;
    struct stat status {};
    std::string bytes;
    Failure failure;
};

/// Reads all of it into memory of its own: what is checked is then what is used, whatever happens to the
/// file. Does not wait (a pipe in place of the file is damaged) and does not change the time of last use.
/// Throws std::bad_alloc only.
EntryFile read_entry_file(const FileDescriptor& directory, const std::string& name);

/// Says that the entry was used now.
void touch(const EntryFile& entry) noexcept;
/// Removes the name unless another file has it by now.
bool remove_entry_file(const FileDescriptor& directory, const std::string& name,
                       const EntryFile& entry) noexcept;

/// A file with a name of its own until it is published under another. The name goes with the object, or with
/// remove_if_abandoned() if the process dies before that: a lock on the file tells that its writer lives.
class TemporaryFile {
public:
    explicit TemporaryFile(const FileDescriptor& directory);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    /// False if a step failed; failure() has it, and nothing was published.
    bool publish(std::string_view bytes, const std::string& name) noexcept;
    const Failure& failure() const noexcept { return failure_; }

private:
    const FileDescriptor& directory_;
    std::string name_;
    FileDescriptor file_;
    Failure failure_;
    bool published_ = false;
};

bool is_temporary_name(std::string_view name) noexcept;
/// Removes the temporary file of a process that is gone. `at_once` false leaves it alone for its first ten
/// seconds.
bool remove_if_abandoned(const FileDescriptor& directory, const char* name, const struct stat& status,
                         bool at_once) noexcept;

} // namespace ferry::cache
