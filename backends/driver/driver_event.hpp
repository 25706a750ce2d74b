// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_context.hpp"
#include "driver/driver_wait.hpp"

#include <atomic>
#include <chrono>
#include <optional>

namespace ferry::driver {

template <class V>
class Event final : public backend::Event {
public:
    Event(DeviceContext<V>& device, Sleepers<V>& sleepers, bool timing)
        : api_(&device.api()),
          context_(device.get()),
          sleepers_(&sleepers),
          forecast_(&sleepers.shared_forecast()),
          timing_(timing) {
        const Guard<V> guard(*api_, context_);
        api_->call(api_->event_create, &event_, timing ? 0U : flag::event_disable_timing);
        api_->made(api_->event_create, event_);
    }
    /// A borrowed event, which its owner destroys.
    Event(DeviceContext<V>& device, Sleepers<V>& sleepers, handle::Event borrowed)
        : api_(&device.api()),
          context_(device.get()),
          sleepers_(&sleepers),
          forecast_(&sleepers.shared_forecast()),
          event_(borrowed),
          timing_(false),
          owns_(false) {}
    ~Event() override {
        if (!owns_) {
            return;
        }
        release_in<V>(*api_, context_, [this] { api_->call_quietly(api_->event_destroy, event_); });
    }

    bool ready() override {
        const int code = query();
        if (code != result::success && code != result::not_ready) {
            api_->fail(api_->event_query.name, code);
        }
        return code == result::success;
    }
    using backend::Event::wait;
    void wait(WaitPolicy policy) override {
        int code = result::not_ready;
        if (policy != WaitPolicy::block) {
            backend::WaitForecast& forecast = *forecast_.load(std::memory_order_relaxed);
            backend::poll(policy, forecast, [&] { return (code = query()) != result::not_ready; });
        }
        if (code == result::not_ready) {
            sleepers_->until_reached(event_);
            call_in<V>(*api_, context_, api_->event_synchronize, event_);
        } else if (code != result::success) {
            // The query may have failed, not the work, so wait: the caller may free memory that the work
            // still uses.
            static_cast<void>(in_context<V>(*api_, context_, api_->event_synchronize, event_));
            api_->fail(api_->event_query.name, code);
        }
    }
    std::optional<std::chrono::nanoseconds> since(backend::Event& start) override {
        auto& first = static_cast<Event&>(start);
        if (!timing_ || !first.timing_) {
            return std::nullopt;
        }
        const Guard<V> guard(*api_, context_);
        float milliseconds = 0;
        api_->call(api_->event_elapsed, &milliseconds, first.event_, event_);
        constexpr float longest = 1e11F; // Three years. This condition also rejects a NaN.
        if (!(milliseconds >= 0 && milliseconds < longest)) {
            return std::nullopt;
        }
        return std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6));
    }

    backend::NativeEvent native_handle() override { return {event_}; }
    handle::Event native() const noexcept { return event_; }
    void set_forecast(backend::WaitForecast& of_queue) noexcept {
        forecast_.store(&of_queue, std::memory_order_relaxed);
    }

private:
    int query() const { return in_context<V>(*api_, context_, api_->event_query, event_); }

    const Api<V>* api_;
    typename V::Context context_;
    Sleepers<V>* sleepers_;
    /// Of the queue that made the last recording. Relaxed, because any forecast of the device will do.
    std::atomic<backend::WaitForecast*> forecast_;
    handle::Event event_ = nullptr;
    bool timing_;
    bool owns_ = true;
};

} // namespace ferry::driver
