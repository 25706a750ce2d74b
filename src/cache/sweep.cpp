// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

#include "entry.hpp"
#include "entry_file.hpp"
#include "system/pause.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <string>
#include <tuple>
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
            ::flock(directory_.get(), LOCK_UN); // A child that was forked meanwhile would keep it.
        }
    }
    Swept::By by() const noexcept { return by_; }

private:
    static constexpr std::chrono::milliseconds longest_wait{20};

    /// If the system has no locks, two concurrent sweeps remove more than necessary, without other effects.
    Swept::By take() const noexcept {
        const bool taken = ::flock(directory_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        return taken ? Swept::By::this_one : Swept::By::nobody;
    }

    const detail::FileDescriptor& directory_;
    Swept::By by_;
};

struct Candidate {
    struct timespec used;
    std::uint64_t bytes;
    std::string name;
};

std::uint64_t size_of(const struct stat& status) noexcept {
    return static_cast<std::uint64_t>(status.st_size);
}

} // namespace

void for_each_file(const detail::FileDescriptor& directory,
                   const std::function<void(const char* name, const struct stat& status)>& visit) {
    const int again = ::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0) {
        return;
    }
    const auto close = [](DIR* stream) { ::closedir(stream); };
    const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(again), close);
    if (stream == nullptr) {
        ::close(again);
        return;
    }
    while (const struct dirent* item = ::readdir(stream.get())) {
        struct stat status {};
        if (::fstatat(directory.get(), item->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISDIR(status.st_mode)) {
            visit(item->d_name, status);
        }
    }
}

Swept sweep(const detail::FileDescriptor& directory, std::uint64_t limit, std::uint64_t coming) {
    Swept swept;
    swept.bytes = coming;
    const SweepLock lock(directory);
    swept.by = lock.by();
    if (swept.by != Swept::By::this_one) {
        return swept;
    }
    std::vector<Candidate> candidates;
    for_each_file(directory, [&](const char* name, const struct stat& status) {
        if (is_file_name(name)) {
            candidates.push_back({status.st_atim, size_of(status), name});
            swept.bytes += size_of(status);
        } else if (is_temporary_name(name)) {
            if (remove_if_abandoned(directory, name, status, false)) {
                ++swept.abandoned;
            } else {
                swept.bytes += size_of(status);
            }
        }
    });
    if (swept.bytes <= limit) {
        return swept;
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.used.tv_sec, a.used.tv_nsec) < std::tie(b.used.tv_sec, b.used.tv_nsec);
    });
    const std::uint64_t goal = limit - limit / 8;
    for (const Candidate& candidate : candidates) {
        if (swept.bytes <= goal) {
            break;
        }
        const bool removed = ::unlinkat(directory.get(), candidate.name.c_str(), 0) == 0;
        swept.evicted += removed ? 1 : 0;
        if (removed || errno == ENOENT) {
            swept.bytes -= std::min(candidate.bytes, swept.bytes);
        }
    }
    return swept;
}

Cleared remove_all(const detail::FileDescriptor& directory) {
    Cleared cleared;
    for_each_file(directory, [&](const char* name, const struct stat& status) {
        if (is_temporary_name(name)) {
            if (remove_if_abandoned(directory, name, status, true)) {
                ++cleared.files;
                cleared.bytes += size_of(status);
            }
        } else if (is_file_name(name)) {
            if (::unlinkat(directory.get(), name, 0) == 0) {
                ++cleared.files;
                cleared.bytes += size_of(status);
            } else if (errno != ENOENT) {
                ++cleared.failed;
                cleared.error = errno;
            }
        }
    });
    return cleared;
}

} // namespace ferry::cache
