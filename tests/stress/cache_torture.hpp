// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/cache.hpp>

#include <atomic>
#include <cstdint>
#include <random>
#include <string>

namespace torture {

using Count = std::atomic<std::uint64_t>;
using Random = std::mt19937_64;

/// In memory that all the processes share. A process that is killed has added what it did before its last
/// step.
struct Tally {
    std::atomic<bool> stop{false};
    Count loads{0};
    Count wrong{0}; ///< loaded, and not what the key stands for
    Count hits{0};
    Count right_of[2]{}; ///< loaded, for each of two versions of Ferry
    Count stores{0};
    Count failed_stores{0};
    Count damaged{0};
    Count evicted{0};
    Count abandoned{0};
    Count clears{0};
    Count bits_flipped{0};
    Count files_cut{0};
    Count files_exchanged{0};
    Count files_removed{0};
    Count files_made{0}; ///< pipes, links, directories, junk

    void add(const ferry::CacheStatistics& now, const ferry::CacheStatistics& before) {
        hits += now.hits - before.hits;
        stores += now.stores - before.stores;
        failed_stores += now.failed_stores - before.failed_stores;
        damaged += now.damaged - before.damaged;
        evicted += now.evicted - before.evicted;
        abandoned += now.abandoned - before.abandoned;
    }
};

struct Place {
    std::string directory;
    std::uint64_t limit = 0;
    std::uint64_t largest_file = 0; ///< the process's limit; 0: none
};

/// Loads and stores until it is told to stop; returns the exit status.
int work(const Place& place, Tally& tally, std::uint64_t seed);
/// Damages the files of the directory, one after the other, until it is told to stop.
int damage(const Place& place, Tally& tally, std::uint64_t seed);

/// Makes a small file system of memory at `directory`, seen by this process and its children only. False if
/// that is not permitted here; `why` says what was refused.
bool mount_small_disk(const std::string& directory, std::uint64_t bytes, std::string& why);

} // namespace torture
