// SPDX-License-Identifier: Apache-2.0
// The events of a queue: recording them, and waiting for events of other queues.
#include "check/race.hpp"
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"

#include <utility>

namespace ferry::detail {

// The events form a ring in order of use: the event after the newest one is the oldest. If the device has not
// passed the oldest event, recording it again is slow (CUDA 13 on an H200: 1.2 us instead of 0.9), so a new
// event is added. That the command before an event is done does not prove that the device has passed the
// event. If each record creates a new vendor event, fewer events are better because they stay in the caches
// (PoCL: 0.6 us instead of 0.9 to 2).
constexpr int event_tries = 16;

[[gnu::always_inline]] inline bool QueueState::has_passed(const EventState& event) const noexcept {
    return event.phase() == EventState::Phase::done || log_.is_completed(event.sequence() + 1);
}

[[gnu::always_inline]] inline EventState* QueueState::acquire_event() {
    for (int i = 0; i < event_tries && event_ != nullptr; ++i) {
        EventState* const oldest = event_->next;
        if (events_ < enough_events_ && !has_passed(*oldest)) {
            break;
        }
        event_ = oldest;
        if (oldest->take()) {
            return oldest;
        }
    }
    return make_event();
}

EventState* QueueState::make_event() {
    std::unique_ptr<backend::Event> native;
    try {
        native = device_->native().create_event(timing_);
    } catch (const Error& error) { // This call may be the first to report a lost device.
        throw error.code() == Code::device_lost ? remember(error, log_.last()) : error;
    }
    auto* const made = new EventState(shared_from_this(), std::move(native), timing_);
    if (closed_) {
        made->leave_queue();
        return made;
    }
    made->next = event_ != nullptr ? std::exchange(event_->next, made) : made;
    event_ = made;
    ++events_;
    return made;
}

void QueueState::release_events() noexcept {
    EventState* event = nullptr;
    {
        const Lock lock(mutex_);
        event = std::exchange(event_, nullptr);
        closed_ = true;
    }
    if (event == nullptr) {
        return;
    }
    for (EventState* at = std::exchange(event->next, nullptr); at != nullptr;) {
        EventState* const next = at->next;
        if (at->leave_queue()) {
            delete at;
        }
        at = next;
    }
}

[[gnu::hot]] EventRef QueueState::record(const SourceLocation& where) {
    const MutexHeld lock(mutex_);
    check_alive(where);
    EventRef event(acquire_event());
    if (race_ != race::host) [[unlikely]] {
        event->order = race::Checker::get().record(race_);
    }
    if (pending_ != 0) [[unlikely]] {
        record_later(event);
        return event;
    }
    if (failure_) [[unlikely]] { // It may be a failure on the host, which the device does not know.
        event->set_failure(failure_->error);
    }
    try {
        native_->record(event->native());
    } catch (const Error& error) {
        throw remember(error, log_.last());
    }
    event->recorded(log_.last());
    return event;
}

// Records after a failure too: earlier commands may still run, and the program may free their memory after a
// wait for the event.
void QueueState::record_later(const EventRef& event) {
    event->hold();
    defer([this, event](const Error* failed) {
        const Lock held(mutex_);
        try {
            native_->record(event->native());
            if (failed != nullptr) {
                event->set_failure(*failed);
            }
            event->recorded(log_.last());
        } catch (const Error& error) {
            event->fail(failed != nullptr ? *failed : remember(error, log_.last()));
        }
    });
}

[[gnu::hot]] void QueueState::wait(EventRef event, const SourceLocation& where) {
    if (race_ != race::host && event->order != nullptr) [[unlikely]] {
        race::Checker::get().wait(race_, *event->order);
    }
    if (&event->queue() == this || event->phase() == EventState::Phase::done) {
        return;
    }
    const MutexHeld lock(mutex_);
    check_alive(where);
    if (pending_ == 0 && event->phase() == EventState::Phase::recorded &&
        (&event->queue().device() == device_ || event->device().info().backend == device_->info().backend) &&
        native_->can_wait(event->native()) && !event->has_failure()) {
        issue(WaitCommand{{where}}, [&] { native_->wait(event->native()); });
        if (event->queue().may_write_to_host()) {
            host_writes_.note(log_.last());
        }
        waited_[waited_count_++ % waited_.size()].swap(event);
    } else {
        wait_later(std::move(event));
    }
}

// Waits after a failure too: commands enqueued after finish() has thrown the failure rely on the wait.
void QueueState::wait_later(EventRef event) {
    defer([kept = std::move(event)](const Error* failed) {
        try {
            kept->wait_on_serial_thread();
        } catch (const Error&) {
            if (failed == nullptr) {
                throw;
            }
        }
    });
}

void QueueState::wait(std::shared_ptr<backend::Event> foreign, const SourceLocation& where) {
    race::wait_unseen(race_);
    const Lock lock(mutex_);
    check_alive(where);
    const auto enqueue_wait = [this, kept = std::move(foreign), where] {
        issue(WaitCommand{{where}}, [&] { native_->wait(*kept); });
        host_writes_.note(log_.last());
    };
    if (pending_ == 0) {
        enqueue_wait();
        return;
    }
    defer([this, enqueue_wait](const Error*) {
        const Lock held(mutex_);
        enqueue_wait();
    });
}

} // namespace ferry::detail
