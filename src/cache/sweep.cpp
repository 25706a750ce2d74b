// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

#include "entry.hpp"
#include "entry_file.hpp"
#include "system/folder.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

namespace ferry::cache {
namespace {

/// On the directory itself, because a lock file could be removed or exchanged.
class SweepLock {
public:
    explicit SweepLock(const detail::FileDescriptor& directory) : directory_(directory), by_(take()) {
        if (by_ == Swept::By::nobody) { // Another process sweeps.
            const auto deadline = detail::PollClock::now() + longest_wait;
            detail::poll_until(deadline, std::chrono::milliseconds(1), [&] {
                by_ = take() == Swept::By::this_one ? Swept::By::another : Swept::By::nobody;
                return by_ != Swept::By::nobody;
            });
        }
    }
    SweepLock(const SweepLock&) = delete;
    SweepLock& operator=(const SweepLock&) = delete;
    ~SweepLock() {
        if (by_ != Swept::By::nobody) {
            detail::unlock_file(directory_); // A child that was forked meanwhile would keep it.
        }
    }
    Swept::By by() const noexcept { return by_; }

private:
    static constexpr std::chrono::milliseconds longest_wait{20};

    /// If the system has no locks, two concurrent sweeps remove more than necessary, without other effects.
    Swept::By take() const noexcept {
        const bool busy = detail::try_lock_file(directory_) == detail::FileLock::busy;
        return busy ? Swept::By::nobody : Swept::By::this_one;
    }

    const detail::FileDescriptor& directory_;
    Swept::By by_;
};

struct Candidate {
    std::chrono::nanoseconds used;
    std::uint64_t bytes;
    std::string name;
};

} // namespace

Swept sweep(const detail::FileDescriptor& directory, std::uint64_t limit, std::uint64_t coming) {
    Swept swept;
    swept.bytes = coming;
    const SweepLock lock(directory);
    swept.by = lock.by();
    if (swept.by != Swept::By::this_one) {
        return swept;
    }
    std::vector<Candidate> candidates;
    detail::list_files(directory, [&](const char* name, const detail::FileStatus& status) {
        if (is_file_name(name)) {
            candidates.push_back({status.used, status.bytes, name});
            swept.bytes += status.bytes;
        } else if (is_temporary_name(name)) {
            if (remove_if_abandoned(directory, name, status, false)) {
                ++swept.abandoned;
            } else {
                swept.bytes += status.bytes;
            }
        }
    });
    if (swept.bytes <= limit) {
        return swept;
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.used < b.used; });
    const std::uint64_t goal = limit - limit / 8;
    for (const Candidate& candidate : candidates) {
        if (swept.bytes <= goal) {
            break;
        }
        const bool removed = detail::remove_in(directory, candidate.name.c_str());
        swept.evicted += removed ? 1 : 0;
        if (removed || errno == ENOENT) {
            swept.bytes -= std::min(candidate.bytes, swept.bytes);
        }
    }
    return swept;
}

Cleared remove_all(const detail::FileDescriptor& directory) {
    Cleared cleared;
    detail::list_files(directory, [&](const char* name, const detail::FileStatus& status) {
        if (is_temporary_name(name)) {
            if (remove_if_abandoned(directory, name, status, true)) {
                ++cleared.files;
                cleared.bytes += status.bytes;
            }
        } else if (is_file_name(name)) {
            if (detail::remove_in(directory, name)) {
                ++cleared.files;
                cleared.bytes += status.bytes;
            } else if (errno != ENOENT) {
                ++cleared.failed;
                cleared.error = errno;
            }
        }
    });
    return cleared;
}

} // namespace ferry::cache
