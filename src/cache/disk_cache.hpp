// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache_key.hpp"
#include "directory.hpp"
#include "location.hpp"

#include <ferry/cache.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ferry::cache {

/// Compiled kernels on disk, shared by all processes of one user:
///
///     if (auto binary = cache::shared().load(key)) { return *binary; }
///     cache::shared().store(key, binary);
///
/// Any failure of the disk is reported only by note() and statistics(): load() then finds nothing and store()
/// keeps nothing. load() returns exactly the bytes stored for the same key, or nothing. An entry contains its
/// whole key and a digest of every byte, is read into memory before it is checked, and gets its name only
/// when it is complete.
///
/// Thread-safe, also after a fork: the object holds no lock and no open file.
class DiskCache {
public:
    explicit DiskCache(Location location) noexcept : location_(std::move(location)) {}

    std::optional<std::string> load(const Key& key) noexcept;
    /// Replaces an existing entry. Creates the directory, and makes room first: a process checks the limit
    /// again after each 64th of it that it has added, so many processes together may exceed it for a while.
    /// Keeps nothing if another process has been making room for more than 20 ms.
    void store(const Key& key, std::string_view bytes) noexcept;

    CacheCleared clear();
    CacheReport report() const;
    CacheStatistics statistics() const noexcept;
    /// The reason why the cache is not used, otherwise the last failure, otherwise empty. A full sentence.
    std::string note() const;

private:
    using Count = std::atomic<std::uint64_t>;

    bool off() const noexcept { return location_.limit == 0 || location_.directory.empty(); }
    void remember(const Failure& failure) noexcept;
    Failure last_failure() const noexcept;
    bool make_room(const detail::FileDescriptor& directory, std::uint64_t coming);

    Location location_;
    std::atomic<std::int64_t> until_sweep_{0}; ///< Bytes that this process may still add.
    Count last_failure_{0};
    Count hits_{0};
    Count misses_{0};
    Count stores_{0};
    Count failed_stores_{0};
    Count failed_loads_{0};
    Count damaged_{0};
    Count evicted_{0};
    Count abandoned_{0};
};

/// The cache described by the environment, which is read at the first call.
DiskCache& shared();

} // namespace ferry::cache
