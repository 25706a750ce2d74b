// SPDX-License-Identifier: Apache-2.0
#include "device_state.hpp"
#include "event_state.hpp"
#include "lane.hpp"
#include "queue_state.hpp"

#include <ferry/event.hpp>

namespace ferry {
namespace detail {

EventState::EventState(DeviceState& device, std::unique_ptr<backend::Event> native, bool timing)
    : device_(&device), native_(std::move(native)), timing_(timing) {}

void EventState::hold(std::shared_ptr<QueueState> queue) {
    queue_ = std::move(queue);
    phase_.store(Phase::held, std::memory_order_release);
}

void EventState::recorded(std::shared_ptr<QueueState> queue, std::uint64_t sequence) {
    queue_ = std::move(queue);
    sequence_ = sequence;
    phase_.store(Phase::recorded, std::memory_order_release);
}

void EventState::recorded(std::uint64_t sequence) {
    sequence_ = sequence;
    phase_.store(Phase::recorded, std::memory_order_release);
    phase_.notify_all();
}

void EventState::fail(const Error& error) {
    {
        const std::lock_guard lock(mutex_);
        error_ = error;
    }
    phase_.store(Phase::failed, std::memory_order_release);
    phase_.notify_all();
}

std::optional<Error> EventState::error() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

void EventState::complete() {
    if (const auto error = queue_->completed(sequence_)) {
        fail(*error);
    } else {
        phase_.store(Phase::done, std::memory_order_release);
    }
}

void EventState::throw_failure(const Error& native_error) {
    fail(queue_->command_failed(native_error, sequence_));
    throw Error(*error());
}

bool EventState::ready() {
    switch (phase()) {
    case Phase::held:
        return false;
    case Phase::recorded:
        try {
            if (!native_->ready()) {
                return false;
            }
            complete();
        } catch (const Error& error) {
            fail(queue_->command_failed(error, sequence_));
        }
        return true;
    default:
        return true;
    }
}

void EventState::wait() {
    phase_.wait(Phase::held, std::memory_order_acquire);
    if (phase() == Phase::recorded) {
        try {
            native_->wait();
        } catch (const Error& error) {
            throw_failure(error);
        }
        complete();
    }
    if (phase() == Phase::failed) {
        throw Error(*error());
    }
}

void EventState::wait_on_lane() {
    for (unsigned round = 0; !ready();) {
        Lane::pause(round);
    }
    if (phase() == Phase::failed) {
        throw Error(*error());
    }
}

void EventState::release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const std::shared_ptr<QueueState> queue = std::move(queue_); // may end here, after the event is back
        queue_.reset();
        device_->recycle(this);
    }
}

void EventState::reset() noexcept {
    references_.store(1, std::memory_order_relaxed);
    phase_.store(Phase::fresh, std::memory_order_relaxed);
    error_.reset();
}

void retain(EventState* event) noexcept {
    if (event != nullptr) {
        event->retain();
    }
}

void release(EventState* event) noexcept {
    if (event != nullptr) {
        event->release();
    }
}

} // namespace detail

bool Event::ready() const {
    return state_ == nullptr || state_->ready();
}

void Event::wait(SourceLocation) const {
    if (state_ != nullptr) {
        state_->wait();
    }
}

Status Event::status() const {
    try {
        wait();
    } catch (const Error& error) {
        return Status(error);
    }
    return {};
}

std::optional<std::chrono::nanoseconds> elapsed(const Event& start, const Event& end, SourceLocation where) {
    detail::EventState* const a = start.state();
    detail::EventState* const b = end.state();
    if (a == nullptr || b == nullptr) {
        throw Error(
            Code::invalid_argument,
            std::string("The ") + (a == nullptr ? "start" : "end") +
                " event of elapsed() was never recorded; events with a time come from Queue::record()",
            where);
    }
    if (&a->device() != &b->device()) {
        throw Error(Code::invalid_argument,
                    "The events of elapsed() were recorded on " + a->device().describe() + " and on " +
                        b->device().describe() + ", whose clocks do not compare; record both on one device",
                    where);
    }
    end.wait(where);
    start.wait(where);
    if (!a->timing() || !b->timing() || !a->device().info().timing) {
        return std::nullopt;
    }
    return b->native().since(a->native());
}

} // namespace ferry
