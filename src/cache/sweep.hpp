// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file_descriptor.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <functional>

namespace ferry::cache {

/// What a sweep found and did.
struct Swept {
    enum class By {
        this_one,
        another, ///< another process did it while this one waited; nothing else is known
        nobody,  ///< another process is still at it
    };
    By by = By::this_one;
    std::uint64_t bytes = 0; ///< what is left, with those that are coming
    std::uint64_t evicted = 0;
    std::uint64_t abandoned = 0; ///< temporary files of dead processes that were removed
};

/// Calls `visit` for each regular file and link of the directory, in no order.
void for_each_file(const FileDescriptor& directory,
                   const std::function<void(const char* name, const struct stat& status)>& visit);

/// Makes room for `coming` bytes: removes what dead processes left, and if there would be more than `limit`
/// then, entries until an eighth of the limit is free, the one that was used longest ago first. One process
/// at a time does it, under a lock that readers do not ask for; a removed entry is whole for whoever has it
/// open. Waits for another process's sweep, but 20 ms at most. Throws std::bad_alloc only.
Swept sweep(const FileDescriptor& directory, std::uint64_t limit, std::uint64_t coming);

/// Removes all entries and what dead processes left. Returns how many and how many bytes.
struct Cleared {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    std::uint64_t failed = 0; ///< could not be removed
    int error = 0;            ///< errno of the last of those
};
Cleared remove_all(const FileDescriptor& directory);

} // namespace ferry::cache
