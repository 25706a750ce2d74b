// SPDX-License-Identifier: Apache-2.0
#include "hal/wait_forecast.hpp"

#include "system/pause.hpp"
#include "system/thread.hpp"

#include <algorithm>
#include <limits>

namespace ferry::backend {

namespace {

using std::chrono::microseconds;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto shortest_nap = microseconds(5);
// A sleep makes a wait 1 to 2 us longer (H200): 2 % of a copy of 4 MiB, which takes 84 us.
constexpr auto shortest_wait = microseconds(90);

std::uint32_t clamped(WaitForecast::Duration time) noexcept {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(time.count(), 1, std::numeric_limits<std::uint32_t>::max()));
}

} // namespace

WaitForecast::Duration WaitForecast::expected() const noexcept {
    std::uint32_t shortest = 0;
    for (const std::atomic<std::uint32_t>& time : times_) {
        const std::uint32_t one = time.load(relaxed); // A value that is too old makes one wait less exact.
        if (one != 0 && (shortest == 0 || one < shortest)) {
            shortest = one;
        }
    }
    return Duration(shortest);
}

WaitForecast::Duration WaitForecast::wake_time() const noexcept {
    // Waits vary by a few percent, and the first query after a sleep finds cold caches.
    const Duration wait = expected();
    const Duration time = wait * 7 / 8 - Duration(late_.load(relaxed)) - microseconds(10);
    return wait < shortest_wait || time < shortest_nap ? Duration(0) : time;
}

void WaitForecast::took(Duration time) noexcept {
    times_[next_.fetch_add(1, relaxed) % kept].store(clamped(time), relaxed);
    const std::uint32_t late = late_.load(relaxed);
    late_.store(late - late / 16, relaxed); // Otherwise one late sleep would prevent all later ones.
}

void WaitForecast::woke_late(Duration late) noexcept {
    late_.store(std::max(late_.load(relaxed), clamped(late)), relaxed);
}

Wait::~Wait() {
    if (slack_ > 0) {
        detail::set_timer_slack(slack_);
    }
}

void Wait::pass() noexcept {
    napped_ = false;
    elapsed_ = Clock::now() - start_;
    if (elapsed_ < wake_time_) {
        // In growing steps: if the work is done earlier this time, at most half of its duration is lost.
        nap(std::min<Duration>(wake_time_ - elapsed_, std::max<Duration>(elapsed_ / 2, microseconds(25))));
    } else if (elapsed_ > std::max<Duration>(microseconds(150), expected_ * 5 / 4)) {
        nap(std::min<Duration>(elapsed_ / 20, microseconds(100)));
    }
}

// By default, the system may let a sleep be 50 microseconds longer than asked.
void Wait::nap(Duration time) noexcept {
    if (time < shortest_nap) {
        return;
    }
    if (slack_ == 0) {
        slack_ = detail::timer_slack();
        detail::set_timer_slack(1000);
    }
    detail::sleep_thread(time);
    forecast_->woke_late(Clock::now() - start_ - elapsed_ - time);
    napped_ = true;
}

void Wait::sleep() noexcept {
    elapsed_ = Clock::now() - start_;
    nap(wake_time_ - elapsed_);
    elapsed_ = Clock::now() - start_;
}

void Wait::end_of_block() noexcept {
    const Duration time = Clock::now() - start_;
    if (time - elapsed_ > microseconds(3)) {
        forecast_->took(time);
    } else if (napped_) {
        forecast_->took(elapsed_ / 2); // The call returned at once: the sleep was too long.
    } // Otherwise nothing was pending, and the call says nothing about the next wait.
}

void Wait::end() noexcept {
    // Work that was done during a sleep took an unknown time; the forecast gets the shortest possible one.
    forecast_->took(napped_ ? elapsed_ : Clock::now() - start_);
}

} // namespace ferry::backend
