// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_thread.hpp"
#include "system/pause.hpp"

#include <ferry/wait_policy.hpp>

#include <atomic>
#include <cstdint>

namespace ferry::host {

/// A position in some order. It wraps around, so compare with before().
using Ticket = std::uint32_t;
constexpr bool before(Ticket a, Ticket b) noexcept {
    return static_cast<std::int32_t>(a - b) < 0;
}

/// The progress of some work: one thread advances it, and any number of threads wait for a position.
/// Advancing makes no system call unless it reaches a position that a thread sleeps for.
class Progress {
public:
    Ticket now() const noexcept { return now_.load(); }
    bool reached(Ticket place) const noexcept { return !before(now(), place); }

    void advance(Ticket to) noexcept {
        now_.store(to);
        if (sleepers_.load() != 0 && !before(to, wake_at_.load())) {
            now_.notify_all();
        }
    }

    void await(Ticket place, WaitPolicy policy = WaitPolicy::automatic) {
        const auto there = [&] { return reached(place); };
        if (policy == WaitPolicy::automatic ? spin_until(there) : there()) {
            return;
        }
        if (policy == WaitPolicy::spin || policy == WaitPolicy::yield) {
            while (!there()) {
                policy == WaitPolicy::spin ? detail::relax_processor() : detail::yield_thread();
            }
            return;
        }
        sleepers_.fetch_add(1);
        for (Ticket seen = now(); before(seen, place); seen = now()) {
            wake_at(place, seen);
            now_.wait(seen);
        }
        sleepers_.fetch_sub(1);
    }

    /// Starts again from zero. No thread may be waiting.
    void reset() noexcept { now_.store(0); }

private:
    // All sleeping threads are woken at the nearest of their positions; those that need more call this again.
    void wake_at(Ticket place, Ticket seen) noexcept {
        Ticket nearest = wake_at_.load();
        while ((!before(seen, nearest) || before(place, nearest)) &&
               !wake_at_.compare_exchange_weak(nearest, place)) {
        }
    }

    std::atomic<Ticket> now_{0};
    std::atomic<Ticket> wake_at_{0};
    std::atomic<std::uint32_t> sleepers_{0};
};

} // namespace ferry::host
