// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/standard.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Ferry keeps compiled kernels on disk so that later processes need not compile them. FERRY_CACHE_DIR sets
// the directory and FERRY_CACHE_LIMIT its maximum size (docs/environment.md). The cache works without any of
// the functions below. If the cache is not usable, programs start more slowly; nothing else changes.
namespace ferry {

/// One of the inputs that an entry was compiled from.
struct CacheField {
    std::string name;
    std::string value;       ///< The first 256 bytes. May contain any byte.
    std::uint64_t bytes = 0; ///< The full length, in bytes.
};

/// One compiled kernel on disk.
struct CacheEntry {
    std::string file;        ///< File name in the directory.
    std::uint64_t bytes = 0; ///< Size of the file, in bytes.
    std::chrono::system_clock::time_point stored;
    std::chrono::system_clock::time_point used; ///< Time of the last load, or of the store.
    /// True if the contents differ from the contents written. A damaged entry is never loaded; the next
    /// process that needs it removes it.
    bool damaged = false;
    std::vector<CacheField> fields; ///< Empty if the entry is damaged.
};

/// Counters of cache use by this process, since its start.
struct CacheStatistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t stores = 0;
    std::uint64_t failed_stores = 0;
    std::uint64_t failed_loads = 0; ///< Entries that the system did not allow to be read. They also count as
                                    ///< misses.
    std::uint64_t damaged = 0;      ///< Entries that were damaged. They were removed and count as misses too.
    std::uint64_t evicted = 0;      ///< Entries removed to keep the size limit.
    std::uint64_t abandoned = 0;    ///< Temporary files of dead processes that were removed.
};

/// The contents of the cache on disk, and the counters of this process.
struct CacheReport {
    std::string directory;   ///< Absolute path. Empty if there is none.
    std::uint64_t limit = 0; ///< Size limit in bytes. 0 if the cache is off.
    bool usable = false;     ///< True if entries can be loaded, or could be once the directory is made.
    /// The reason why the cache is not usable, or the last failure in this process. Empty if there is none.
    std::string note;
    std::uint64_t bytes = 0;         ///< Total size of all entries, in bytes.
    std::vector<CacheEntry> entries; ///< Most recently used first.
    CacheStatistics statistics;
};

/// Reads and checks every entry of the cache. This takes milliseconds for every few megabytes. Changes
/// nothing and creates no directory. The environment is read once, when the process first uses the cache.
/// Thread-safe. Throws only std::bad_alloc.
FERRY_API CacheReport cache_report();

struct CacheCleared {
    std::uint64_t files = 0; ///< Number of files removed.
    std::uint64_t bytes = 0; ///< Their total size, in bytes.
    std::string note;        ///< The reason why files remain, or why there is no cache. Empty if all were
                             ///< removed.
};

/// Removes all entries, and the temporary files of dead processes. It removes no other file and keeps the
/// directory. Other processes continue: entries that they have loaded stay valid, and entries that they store
/// meanwhile may remain. Thread-safe. Throws only std::bad_alloc.
FERRY_API CacheCleared clear_cache();

} // namespace ferry
