// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ferry::detail::staging {

/// Which bytes of a file the system has in memory. To read with RWF_NOWAIT does not tell: it begins to read
/// what is not there, so that the file is in memory afterwards.
class PageCache {
public:
    /// Nothing is known of any file.
    PageCache() = default;
    /// Of this open file, which stays the caller's.
    explicit PageCache(int file);

    /// True if all of the range is there, as far as the system tells: since Linux 6.5 it does, before that
    /// (and to who neither owns nor may write the file, since 6.12 or so) only to who owns the file or may
    /// write it. Starts no reading.
    bool has(std::uint64_t offset, std::size_t bytes) const;

private:
    int file_ = -1;
    bool mapping_tells_ = false; ///< mincore says "there" of all pages to others than the owner
};

} // namespace ferry::detail::staging
