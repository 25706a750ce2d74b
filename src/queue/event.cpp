// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"
#include "base/serial_thread.hpp"
#include "check/race.hpp"
#include "device/device_state.hpp"
#include "queue/event_state.hpp"
#include "queue/queue_state.hpp"
#include "system/fork.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"

#include <ferry/event.hpp>

namespace ferry {
namespace detail {

EventState::EventState(std::shared_ptr<QueueState> queue, std::unique_ptr<backend::Event> native, bool timing)
    : timing_(timing), native_(std::move(native)), queue_(std::move(queue)) {}

DeviceState& EventState::device() const noexcept {
    return queue_->device();
}

void EventState::hold() noexcept {
    phase_.store(Phase::held, std::memory_order_release);
}

void EventState::set_failure(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!has_failure()) { // The first one stays.
        error_ = error;
        has_failure_.store(true, std::memory_order_release);
    }
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

// The caller has queried the queue under its mutex, and then checks whether the event has a failure, because
// a later failure may have replaced the queue's one meanwhile.
void EventState::end_as(const std::optional<Error>& reported) {
    if (const std::optional<Error> error = has_failure() ? this->error() : reported) {
        fail(*error);
    } else {
        phase_.store(Phase::done, std::memory_order_release);
    }
}

void EventState::complete() {
    end_as(queue_->completed(sequence_));
}

void EventState::failed(const Error& native_error) {
    end_as(queue_->event_failed(native_error, sequence_));
}

bool EventState::ready() {
    switch (phase()) {
    case Phase::held:
        return false;
    case Phase::recorded:
        try {
            const VendorCall call;
            if (!call.allowed() || !native_->ready()) {
                return false;
            }
            complete();
        } catch (const Error& error) {
            failed(error);
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
            const VendorCall call;
            call.check({});
            native_->wait(queue_->wait_policy());
            complete();
        } catch (const Error& error) {
            failed(error);
        }
    }
    if (phase() == Phase::failed) {
        throw Error(*error());
    }
}

void EventState::wait_until_recorded() {
    phase_.wait(Phase::held, std::memory_order_acquire);
    static_cast<void>(ready());
    if (phase() == Phase::failed || has_failure()) {
        throw Error(*error());
    }
}

void EventState::wait_on_serial_thread() {
    for (Backoff backoff; !ready();) {
        SerialThread::pause(backoff);
    }
    if (phase() == Phase::failed) {
        throw Error(*error());
    }
}

void EventState::check_process(const SourceLocation& where) const {
    detail::check_process(queue_->forks(), "The event", where);
}

void EventState::end() noexcept {
    if (queue_->forks() == fork_count()) { // Otherwise it belongs to a parent, as does the queue that may end
                                           // with it.
        delete this;
    }
}

bool EventState::leave_queue() noexcept {
    return references_.fetch_or(without_queue, std::memory_order_acq_rel) == 0;
}

void retain(EventState* event) noexcept {
    if (event != nullptr) {
        event->retain();
    }
}

[[gnu::hot]] void release(EventState* event) noexcept {
    if (event != nullptr) {
        event->release();
    }
}

} // namespace detail

bool Event::ready() const {
    if (state_ == nullptr) {
        return true;
    }
    state_->check_process({});
    const bool ready = state_->ready();
    if (ready) {
        detail::race::host_waits(state_->order);
    }
    return ready;
}

void Event::wait(SourceLocation where) const {
    const trace::Span span("Event::wait", where);
    if (state_ == nullptr) {
        return;
    }
    state_->check_process(where);
    const detail::NoCancellation not_cancelled;
    const detail::WaitAtExit keeps_thread;
    struct Known { // Whether the work before it succeeded.
        detail::EventState& state;
        ~Known() { detail::race::host_waits(state.order); }
    } const known{*state_};
    state_->wait();
}

EventStatus Event::status() const {
    try {
        wait();
    } catch (const Error& error) {
        return EventStatus(error);
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
                        b->device().describe() +
                        "; their clocks cannot be compared, so record both events on one device",
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
