// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_context.hpp"
#include "hal/poll.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <vector>

namespace ferry::driver {

/// Lets host threads sleep until the device has reached a point. The drivers' plain waits spin; a wait sleeps
/// only on a blocking event, and if all events were blocking, every record would be slower. A small stock of
/// blocking events exists therefore, and one is recorded after the point when a thread is about to sleep.
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

    /// Waits until all work now on the stream is done or has failed; the caller queries the result. Returns
    /// at once if the driver rejects a step.
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

    /// The forecast of waits for a new queue. It outlives all queues and events; beyond 16 queues they share.
    /// Relaxed: the number only spreads queues over forecasts that exist already.
    backend::WaitForecast& take_forecast() noexcept {
        return forecasts_[next_forecast_.fetch_add(1, std::memory_order_relaxed) % forecasts_.size()];
    }

    /// For events that no queue of Ferry has recorded yet.
    backend::WaitForecast& shared_forecast() noexcept { return shared_forecast_; }

private:
    struct Sleeper {
        handle::Stream stream = nullptr;
        handle::Event event = nullptr;
    };
    /// A sleeper for this thread alone, while it sleeps.
    struct Borrowed {
        explicit Borrowed(Sleepers& from) : owner(from), sleeper(from.take()) {}
        Borrowed(const Borrowed&) = delete;
        Borrowed& operator=(const Borrowed&) = delete;
        ~Borrowed() {
            const std::lock_guard lock(owner.mutex_);
            owner.sleepers_.push_back(sleeper); // take() has reserved room.
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
        if (!call(api().event_record, sleeper.event, stream)) {
            return;
        }
        if (api().version >= V::sleeps_for_events) {
            call(api().event_synchronize, sleeper.event);
        } else {
            nap(sleeper.event);
        }
    }
    /// For drivers whose waits always spin. Each nap is at most 1/32 of the time before it, or 20
    /// microseconds, so that the wait ends at most 3 % late.
    void nap(handle::Event event) const {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        while (in_context<V>(api(), context_->get(), api().event_query, event) == result::not_ready) {
            const Clock::duration pause =
                std::max<Clock::duration>((Clock::now() - start) / 32, std::chrono::microseconds(20));
            detail::sleep_thread(std::min<Clock::duration>(pause, std::chrono::milliseconds(1)));
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
    std::array<backend::WaitForecast, 16> forecasts_;
    std::atomic<std::size_t> next_forecast_{0};
    backend::WaitForecast shared_forecast_;
};

} // namespace ferry::driver
