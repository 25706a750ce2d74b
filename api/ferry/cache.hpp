// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/standard.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Ferry keeps compiled kernels on disk, in a directory that FERRY_CACHE_DIR names and that FERRY_CACHE_LIMIT
// bounds (docs/environment.md), so that the next process need not compile them. Nothing here is needed to use
// it: a cache that cannot be used makes programs slower to start and nothing else.
namespace ferry {

/// A part of what an entry was compiled from.
struct CacheField {
    std::string name;
    std::string value;       ///< its first 256 bytes; may hold any byte
    std::uint64_t bytes = 0; ///< the length of all of it
};

/// One compiled kernel on disk.
struct CacheEntry {
    std::string file;        ///< its name in the directory
    std::uint64_t bytes = 0; ///< of the file
    std::chrono::system_clock::time_point stored;
    std::chrono::system_clock::time_point used; ///< last loaded, or stored
    /// Not as it was written. It is never loaded, and the next process that wants it removes it.
    bool damaged = false;
    std::vector<CacheField> fields; ///< empty if damaged
};

/// What the cache did for this process since it started.
struct CacheStatistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t stores = 0;
    std::uint64_t failed_stores = 0;
    std::uint64_t failed_loads = 0; ///< the system did not let an entry be read; counted as misses too
    std::uint64_t damaged = 0;      ///< entries found damaged, removed and not used; counted as misses too
    std::uint64_t evicted = 0;      ///< entries removed to keep the limit
    std::uint64_t abandoned = 0;    ///< temporary files of dead processes removed
};

/// The cache as it is on disk, and what it did for this process.
struct CacheReport {
    std::string directory;   ///< absolute; empty if there is none
    std::uint64_t limit = 0; ///< bytes; 0: the cache is off
    bool usable = false;     ///< entries can be loaded, or could if the directory existed, which can be made
    /// Why it is not usable, or the last thing that failed in this process; empty if all is well.
    std::string note;
    std::uint64_t bytes = 0;         ///< of all entries
    std::vector<CacheEntry> entries; ///< the last used one first
    CacheStatistics statistics;
};

/// Reads and checks every entry of the cache: milliseconds for each few megabytes. Changes nothing, makes no
/// directory. The environment is read once, when the process first uses the cache. Thread-safe; throws
/// std::bad_alloc only.
FERRY_API CacheReport cache_report();

struct CacheCleared {
    std::uint64_t files = 0; ///< removed
    std::uint64_t bytes = 0; ///< in those
    std::string note;        ///< why files are left, or why there is no cache; empty if all is well
};

/// Removes all entries, and the temporary files of processes that died; no other file, and not the directory.
/// Other processes go on: what they have loaded stays, and what they store meanwhile may be there afterwards.
/// Thread-safe; throws std::bad_alloc only.
FERRY_API CacheCleared clear_cache();

} // namespace ferry
