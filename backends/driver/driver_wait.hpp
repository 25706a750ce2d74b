// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_context.hpp"

#include <ferry/wait_policy.hpp>

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace ferry::driver {

/// Sleeps as short as asked, while it lives: a thread's sleeps may otherwise be 50 microseconds longer.
class ShortNaps {
public:
    ShortNaps() = default;
    ShortNaps(const ShortNaps&) = delete;
    ShortNaps& operator=(const ShortNaps&) = delete;
    ~ShortNaps() {
        if (slack_ > 0) {
            prctl(PR_SET_TIMERSLACK, slack_, 0, 0, 0);
        }
    }
    void nap(std::chrono::nanoseconds time) {
        if (slack_ == 0) {
            slack_ = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
            prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
        }
        std::this_thread::sleep_for(time);
    }

private:
    int slack_ = 0; ///< the thread's own, nanoseconds
};

/// Asks again and again as the policy says; the answer that is not not_ready, or not_ready once `automatic`
/// has polled long enough. An interrupt costs it 100 microseconds (H200), or half a millisecond once the
/// processor has gone to a deep sleep, which is much of a wait of milliseconds. So from 150 microseconds on
/// `automatic` naps between two questions, a twentieth of the time so far and at most 100 microseconds, and
/// only after 100 milliseconds it leaves the rest to the interrupt: beyond 10 milliseconds it comes at most 1
/// % late.
template <class Query>
int poll(WaitPolicy policy, const Query& query) {
    using Clock = std::chrono::steady_clock;
    constexpr auto without_naps = std::chrono::microseconds(150);
    constexpr auto longest_nap = std::chrono::nanoseconds(100'000);
    constexpr auto longest = std::chrono::milliseconds(100);
    int code = query();
    if (code != result::not_ready) {
        return code; // without asking for the time, which costs as much
    }
    const auto start = Clock::now();
    ShortNaps naps;
    do {
        if (policy == WaitPolicy::yield) {
            std::this_thread::yield();
        } else if (policy == WaitPolicy::automatic) {
            const auto waited = Clock::now() - start;
            if (waited > longest) {
                return result::not_ready;
            }
            if (waited > without_naps) {
                naps.nap(std::min<std::chrono::nanoseconds>(waited / 20, longest_nap));
            }
        }
        code = query();
    } while (code == result::not_ready);
    return code;
}

/// Lets host threads sleep until the device has come to a point. The drivers' plain waits spin; a wait sleeps
/// only on an event made for it, and making all events so would slow down every record. So there is a small
/// stock of such events, and one is put behind the point when a thread is about to sleep.
template <class V>
class Sleepers {
public:
    explicit Sleepers(DeviceContext<V>& context) : context_(&context) {}
    Sleepers(const Sleepers&) = delete;
    Sleepers& operator=(const Sleepers&) = delete;
    ~Sleepers() {
        if (sleepers_.empty()) {
            return;
        }
        release_in<V>(api(), context_->get(), [this] {
            for (const Sleeper& sleeper : sleepers_) {
                api().call_quietly(api().stream_destroy, sleeper.stream);
                api().call_quietly(api().event_destroy, sleeper.event);
            }
        });
    }

    /// Until everything that is on the stream now is done, or has failed: the caller asks. Returns at once if
    /// the driver refuses a step.
    void until_done(handle::Stream stream) {
        const Borrowed borrowed(*this);
        sleep(borrowed.sleeper, stream);
    }
    void until_reached(handle::Event event) {
        const Borrowed borrowed(*this);
        if (call(api().stream_wait, borrowed.sleeper.stream, event, 0U)) {
            sleep(borrowed.sleeper, borrowed.sleeper.stream);
        }
    }

private:
    struct Sleeper {
        handle::Stream stream = nullptr;
        handle::Event event = nullptr;
    };
    /// One for this thread alone, while it sleeps.
    struct Borrowed {
        explicit Borrowed(Sleepers& from) : owner(from), sleeper(from.take()) {}
        Borrowed(const Borrowed&) = delete;
        Borrowed& operator=(const Borrowed&) = delete;
        ~Borrowed() {
            const std::lock_guard lock(owner.mutex_);
            owner.sleepers_.push_back(sleeper); // there is room: take() has seen to it
        }
        Sleepers& owner;
        const Sleeper sleeper;
    };

    const Api<V>& api() const noexcept { return context_->api(); }
    template <class S, class... A>
    bool call(const S& symbol, A... arguments) const {
        return in_context<V>(api(), context_->get(), symbol, arguments...) == result::success;
    }
    void sleep(const Sleeper& sleeper, handle::Stream stream) const {
        if (call(api().event_record, sleeper.event, stream)) {
            call(api().event_synchronize, sleeper.event);
        }
    }
    Sleeper take() {
        const std::lock_guard lock(mutex_);
        if (!sleepers_.empty()) {
            const Sleeper sleeper = sleepers_.back();
            sleepers_.pop_back();
            return sleeper;
        }
        sleepers_.reserve(++made_);
        const Guard<V> guard(*context_);
        Sleeper sleeper;
        api().call(api().stream_create, &sleeper.stream, flag::stream_non_blocking);
        api().call(api().event_create, &sleeper.event,
                   flag::event_blocking_sync | flag::event_disable_timing);
        api().made(api().stream_create, sleeper.stream);
        api().made(api().event_create, sleeper.event);
        return sleeper;
    }

    DeviceContext<V>* context_;
    std::mutex mutex_;
    std::vector<Sleeper> sleepers_;
    std::size_t made_ = 0;
};

} // namespace ferry::driver
