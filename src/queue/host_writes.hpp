// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/timeline.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ferry::detail::staging {

/// Ranges of pageable host memory that commands of a queue may still write. The vendor's queue orders these
/// writes with its own reads. Copy threads read ahead of the queue, so they must query this class first. All
/// functions require the queue's mutex, except may_be_left(timeline).
class HostWrites {
public:
    /// Notes that the command writes this range.
    void note(const void* host, std::size_t bytes, std::uint64_t command) noexcept {
        Range& oldest = ranges_[next_++ % ranges_.size()];
        anywhere_ = oldest.command > anywhere_ ? oldest.command : anywhere_;
        const auto begin = reinterpret_cast<std::uintptr_t>(host);
        oldest = {begin, begin + bytes, command};
        last_.store(command, std::memory_order_relaxed);
    }
    /// Notes that the command may write any host memory.
    void note(std::uint64_t command) noexcept {
        anywhere_ = command;
        last_.store(command, std::memory_order_relaxed);
    }

    /// Whether a command not known to be done may write this range.
    bool may_be_left(const Timeline& timeline, const void* host, std::size_t bytes) const noexcept {
        const auto begin = reinterpret_cast<std::uintptr_t>(host);
        if (anywhere_ != 0 && !timeline.has_reached(anywhere_)) {
            return true;
        }
        for (const Range& range : ranges_) {
            if (range.command != 0 && range.begin < begin + bytes && begin < range.end &&
                !timeline.has_reached(range.command)) {
                return true;
            }
        }
        return false;
    }
    /// Whether a command not known to be done may write any host memory. Callable from any thread.
    bool may_be_left(const Timeline& timeline) const noexcept {
        return !timeline.has_reached(last_.load(std::memory_order_relaxed));
    }

private:
    struct Range {
        std::uintptr_t begin = 0, end = 0;
        std::uint64_t command = 0; ///< 0: none.
    };
    std::array<Range, 8> ranges_;
    std::size_t next_ = 0;
    std::uint64_t anywhere_ = 0; ///< 0: none.
    /// Relaxed, because the program orders a command before the use of its result, which makes this value
    /// visible.
    std::atomic<std::uint64_t> last_{0};
};

} // namespace ferry::detail::staging
