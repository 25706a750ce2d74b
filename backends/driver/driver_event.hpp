// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_context.hpp"

#include <chrono>
#include <optional>

namespace ferry::driver {

template <class V>
class Event final : public backend::Event {
public:
    Event(DeviceContext<V>& device, bool timing)
        : api_(&device.api()), context_(device.get()), timing_(timing) {
        const Guard<V> guard(*api_, context_);
        api_->call(api_->event_create, &event_, timing ? 0U : flag::event_disable_timing);
    }
    ~Event() override {
        release_in<V>(*api_, context_, [this] { api_->call_quietly(api_->event_destroy, event_); });
    }

    bool ready() override {
        const Guard<V> guard(*api_, context_);
        const int code = api_->event_query(event_);
        if (code != result::success && code != result::not_ready) {
            api_->fail(api_->event_query.name, code);
        }
        return code == result::success;
    }
    void wait() override {
        const Guard<V> guard(*api_, context_);
        api_->call(api_->event_synchronize, event_);
    }
    std::optional<std::chrono::nanoseconds> since(backend::Event& start) override {
        auto& first = static_cast<Event&>(start);
        if (!timing_ || !first.timing_) {
            return std::nullopt;
        }
        const Guard<V> guard(*api_, context_);
        float milliseconds = 0;
        api_->call(api_->event_elapsed, &milliseconds, first.event_, event_);
        return std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6));
    }

    handle::Event native() const noexcept { return event_; }

private:
    const Api<V>* api_;
    typename V::Context context_;
    handle::Event event_ = nullptr;
    bool timing_;
};

} // namespace ferry::driver
