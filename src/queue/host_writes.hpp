// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/timeline.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ferry::detail::staging {

/// Which ordinary memory of the host commands of a queue may still write to. The vendor's queue keeps their
/// order with what it reads itself; what copy threads read, ahead of its turn, has to ask here. By the queue,
/// with its mutex held, but for may_be_left().
class HostWrites {
public:
    /// That command writes there.
    void note(const void* host, std::size_t bytes, std::uint64_t command) noexcept {
        Range& oldest = ranges_[next_++ % ranges_.size()];
        anywhere_ = oldest.command > anywhere_ ? oldest.command : anywhere_;
        const auto begin = reinterpret_cast<std::uintptr_t>(host);
        oldest = {begin, begin + bytes, command};
        last_.store(command, std::memory_order_relaxed);
    }
    /// That command may write to any of it.
    void note(std::uint64_t command) noexcept {
        anywhere_ = command;
        last_.store(command, std::memory_order_relaxed);
    }

    /// Whether one that the queue is not known to have reached may write there.
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
    /// The same for any of it. By any thread.
    bool may_be_left(const Timeline& timeline) const noexcept {
        return !timeline.has_reached(last_.load(std::memory_order_relaxed));
    }

private:
    struct Range {
        std::uintptr_t begin = 0, end = 0;
        std::uint64_t command = 0; ///< 0: none
    };
    std::array<Range, 8> ranges_;
    std::size_t next_ = 0;
    std::uint64_t anywhere_ = 0; ///< 0: none
    /// Relaxed: the program orders a command before the use of what it writes, and then it is seen.
    std::atomic<std::uint64_t> last_{0};
};

} // namespace ferry::detail::staging
