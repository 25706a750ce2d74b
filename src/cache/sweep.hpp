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
    std::uint64_t bytes = 0; ///< what is left
    std::uint64_t evicted = 0;
    std::uint64_t abandoned = 0; ///< temporary files of dead processes that were removed
};

/// Calls `visit` for each regular file and link of the directory, in no order.
void for_each_file(const FileDescriptor& directory,
                   const std::function<void(const char* name, const struct stat& status)>& visit);

/// Removes what dead processes left, and if more than `limit` bytes are there, entries until an eighth of it
/// is free, the one that was used longest ago first. One process at a time does it, under a lock that readers
/// do not ask for; a removed entry is whole for whoever has it open. Waits for another process's sweep, but
/// 20 ms at most: whoever stores on and on would otherwise be faster than the sweep. Throws std::bad_alloc
/// only.
Swept sweep(const FileDescriptor& directory, std::uint64_t limit);

/// Removes all entries and what dead processes left. Returns how many and how many bytes.
struct Cleared {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    std::uint64_t failed = 0; ///< could not be removed
    int error = 0;            ///< errno of the last of those
};
Cleared remove_all(const FileDescriptor& directory);

} // namespace ferry::cache
