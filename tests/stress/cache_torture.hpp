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

/// Counters in memory shared by all processes. They include the work of a killed process up to its last
/// complete step.
struct Tally {
    std::atomic<bool> stop{false};
    Count loads{0};
    Count wrong{0}; ///< loaded values that do not belong to their key
    Count hits{0};
    Count right_of[2]{}; ///< loaded values that were right, for each of two versions of Ferry
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

/// Loads and stores until `tally.stop` is set. Returns the exit status.
int work(const Place& place, Tally& tally, std::uint64_t seed);
/// Damages files of the directory, one after the other, until `tally.stop` is set.
int damage(const Place& place, Tally& tally, std::uint64_t seed);

/// Mounts a small file system in memory at `directory`. Only this process and its children see it. Returns
/// false if that is not permitted; `why` then has the reason.
bool mount_small_disk(const std::string& directory, std::uint64_t bytes, std::string& why);

} // namespace torture
