// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

// The pauses of threads that poll. They poll because nothing can wake them: a driver, another process, or a
// thread that must not take a lock brings about the end of the wait. No other file sleeps or yields
// (lint.system).
namespace ferry::detail {

using PollClock = std::chrono::steady_clock;

/// For polling during a few microseconds: the other thread of the core gets more of it. Orders nothing.
inline void relax_processor() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Lets a thread that is ready run first.
void yield_thread() noexcept;

/// Sleeps at least for this time, and longer by up to the timer slack of the thread (system/thread.hpp). It
/// is a cancellation point, and therefore not noexcept.
void sleep_thread(std::chrono::nanoseconds time);

/// The pauses of one wait of unknown length: yields, then 200 sleeps of 20 us, 600 of 50 us, and after that
/// sleeps of 200 us. A short wait ends without delay, and a long one takes no processor.
class Backoff {
public:
    static constexpr unsigned usual_yields = 200;

    explicit constexpr Backoff(unsigned yields = usual_yields) noexcept : yields_(yields) {}
    void pause(); ///< A cancellation point.
    /// Call after progress: the next pauses are short again.
    void reset() noexcept { rounds_ = 0; }

private:
    unsigned yields_;
    unsigned rounds_ = 0;
};

/// Polls `done` and sleeps between the queries; yields if `pause` is 0. Returns false if the deadline came
/// first.
template <class Done>
bool poll_until(PollClock::time_point deadline, std::chrono::nanoseconds pause, const Done& done) {
    while (!done()) {
        if (PollClock::now() > deadline) {
            return false;
        }
        pause.count() == 0 ? yield_thread() : sleep_thread(pause);
    }
    return true;
}

} // namespace ferry::detail
