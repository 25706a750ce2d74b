// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <cstdint>

namespace ferry::cache {

/// The result of a sweep.
struct Swept {
    enum class By {
        this_one,
        another, ///< Another process did it while this one waited. Nothing else is known.
        nobody,  ///< Another process is still doing it.
    };
    By by = By::this_one;
    std::uint64_t bytes = 0; ///< The remaining bytes, including the coming ones.
    std::uint64_t evicted = 0;
    std::uint64_t abandoned = 0; ///< Temporary files of dead processes that were removed.
};

/// Makes room for `coming` bytes. Removes files of dead processes. If there would be more than `limit` bytes
/// then, removes entries, least recently used first, until an eighth of the limit is free. One process at a
/// time does it, under a lock that readers do not take. A removed entry stays complete for processes that
/// have it open. Waits for another process's sweep, but at most 20 ms. Throws only std::bad_alloc.
Swept sweep(const detail::FileDescriptor& directory, std::uint64_t limit, std::uint64_t coming);

/// Removes all entries and the files of dead processes. Returns their number and size.
struct Cleared {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    std::uint64_t failed = 0; ///< Could not be removed.
    int error = 0;            ///< errno of the last of those.
};
Cleared remove_all(const detail::FileDescriptor& directory);

} // namespace ferry::cache
