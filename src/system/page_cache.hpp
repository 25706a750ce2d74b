// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>

namespace ferry::detail {

/// Queries which bytes of a file are in the page cache. A read with RWF_NOWAIT is no such query, because it
/// starts to read missing bytes into the page cache.
class PageCache {
public:
    /// Without a file, has() always returns false.
    PageCache() = default;
    /// For an open file, which remains owned by the caller.
    explicit PageCache(const FileDescriptor& file);

    /// True if the whole range is known to be in the page cache. Does not start to read. Linux answers in
    /// these cases:
    /// - before 6.5: only to the owner of the file and to users with write access;
    /// - 6.5 and later: to every user;
    /// - about 6.12 and later: again only to the owner and to users with write access.
    bool has(std::uint64_t offset, std::size_t bytes) const;

private:
    int file_ = -1;
    /// Whether mincore() answers. For other users it reports every page as present.
    bool mapping_tells_ = false;
};

} // namespace ferry::detail
