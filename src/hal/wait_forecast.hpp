// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ferry::backend {

/// How long the waits for one queue took, so that a thread can sleep through most of the next one. Threads
/// may use one at the same time. All accesses are relaxed: a value that is too old makes one wait less exact.
class WaitForecast {
public:
    using Duration = std::chrono::nanoseconds;

    /// The shortest of the recent waits. Zero if there was none.
    Duration expected() const noexcept;
    /// The time after the start of a wait at which a thread should be awake again. Zero: too short for a
    /// sleep.
    Duration wake_time() const noexcept;
    /// Records the duration of a wait.
    void took(Duration time) noexcept;
    /// Records that a sleep lasted longer than requested by `late`.
    void woke_late(Duration late) noexcept;

private:
    static constexpr std::size_t kept = 8;

    std::array<std::atomic<std::uint32_t>, kept> times_{}; ///< ns
    std::atomic<std::uint32_t> next_{0};
    std::atomic<std::uint32_t> late_{20'000}; ///< ns, the largest recent delay of a sleep.
};

/// One wait: decides how a thread spends the time between two queries.
class Wait {
public:
    explicit Wait(WaitForecast& forecast) noexcept
        : forecast_(&forecast),
          start_(Clock::now()),
          expected_(forecast.expected()),
          wake_time_(forecast.wake_time()) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait();

    /// True once the vendor's blocking call is as good, because it returns at most 1 % late.
    bool is_long() const noexcept { return elapsed_ > std::chrono::milliseconds(100); }
    /// Sleeps, or returns at once if the work may be done at any moment.
    void pass() noexcept;
    /// Records the duration for the forecast. Call when the work is done.
    void end() noexcept;

    // For a wait that ends in a blocking call of the vendor, instead of pass() and end():
    bool sleeps() const noexcept { return wake_time_ > WaitForecast::Duration(0); }
    /// Sleeps through most of the expected time.
    void sleep() noexcept;
    /// Records the duration. Call when the vendor's call has returned.
    void end_of_block() noexcept;

private:
    using Clock = std::chrono::steady_clock;
    using Duration = WaitForecast::Duration;

    void nap(Duration time) noexcept;

    WaitForecast* forecast_;
    Clock::time_point start_;
    Duration expected_, wake_time_;
    Duration elapsed_{0}; ///< before the latest nap
    bool napped_ = false; ///< The last pass() was a sleep.
    int slack_ = 0;       ///< The thread's own timer slack, ns. 0: not changed.
};

} // namespace ferry::backend
