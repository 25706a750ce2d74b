// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_state.hpp"

#include "base/process_exit.hpp"
#include "base/settings.hpp"
#include "check/race.hpp"
#include "device/runtime.hpp"
#include "hal/mistakes.hpp"
#include "memory/memory_state.hpp"
#include "queue/queue_registry.hpp"
#include "queue/queue_submit.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace ferry::detail {

QueueState::QueueState(DeviceState& device, const QueueOptions& options, void* native)
    : QueueInterface(Timeline::acquire()),
      device_(&device),
      timing_(options.timing),
      enough_events_(device.native().makes_events_anew() ? 0 : 256),
      sync_(sync_setting()),
      staging_(staging_setting({})),
      wait_policy_(options.wait != WaitPolicy::automatic ? options.wait : wait_setting()),
      race_(race::enabled() ? race::Checker::get().add_queue(device.id()) : race::host),
      straight_up_(staging::straight(device, staging_, staging::tuning().upload_above)),
      straight_down_(staging::straight(device, staging_, staging::tuning().download_above)),
      exposed_(native != nullptr),
      log_(timeline().base()),
      backlog_("ferry-backlog"),
      callbacks_("ferry-callback") {
    QueueOptions own = options;
    own.timing = own.timing || trace::active();
    try {
        native_ =
            native != nullptr ? device.native().wrap_queue(native, own) : device.native().create_queue(own);
        device.has_made_queue(own.timing);
        trace_ = trace::QueueTrace::make(device.native(), *native_, mutex_);
    } catch (...) {
        if (race_ != race::host) {
            race::Checker::get().remove_queue(race_);
        }
        throw;
    }
    complete();
}

void QueueState::attach() {
    at_process_exit(ExitTask::queue_calls, &QueueState::let_calls_return);
    at_process_exit(ExitTask::drivers, &QueueState::let_drivers_finish);
    staging::connect();
    set_queue_call_query(&QueueState::in_call_of_this_thread);
    timeline().attach(weak_from_this(), *device_);
    // The constructor cannot register the queue: users of the registry need a shared pointer to it.
    QueueRegistry& r = QueueRegistry::get();
    const std::lock_guard lock(r.mutex);
    r.queues.insert(this);
}

QueueState::~QueueState() {
    if (race_ != race::host) {
        race::Checker::get().remove_queue(race_);
    }
    {
        QueueRegistry& r = QueueRegistry::get();
        const std::lock_guard lock(r.mutex);
        r.queues.erase(this);
    }
    if (backend::process_is_exiting()) {
        return;
    }
    bool done = true;
    if (!timeline().has_reached(log_.last())) { // A mapping can end after its queue was closed.
        try {
            native_->finish();
        } catch (const Error& error) { // A destructor cannot report it.
            done = settle(error, log_.last());
        }
    }
    if (done) {
        timeline().release(log_.last());
    } else {
        timeline().retire(log_.last());
        static_cast<void>(native_.release()); // The queue owns memory that the device may still use.
    }
}

void QueueState::sync() {
    try {
        native_->finish();
        log_.completed(log_.last());
        timeline().reach(log_.last());
    } catch (const Error& error) {
        settle(error, log_.last());
        Error blamed = with_kept_memory(log_.blame_last(error));
        if (error.code() == Code::device_lost) {
            blamed = lose(*device_, blamed);
        }
        reported_ = Failure{blamed, log_.last(), 0};
        mark_reported(log_.last());
        throw blamed;
    }
}

std::uint64_t QueueState::issued() const noexcept {
    const Lock lock(mutex_);
    return last_issued();
}

void QueueState::defer(Task task) {
    backlog_.push([this, task = std::move(task)]() mutable { run_task(std::move(task)); }); // May throw.
    ++pending_; // The task decrements it under the mutex, so later than this.
    timeline().hold_back();
}

void QueueState::run_task(Task task) {
    std::optional<Error> failed;
    {
        const Lock lock(mutex_);
        if (failure_) {
            failed = failure_->error;
        }
    }
    try {
        constexpr SourceLocation nowhere;
        const trace::Span span("held-back command", nowhere);
        task(failed ? &*failed : nullptr);
    } catch (const Error& error) {
        const Lock lock(mutex_);
        fail_after(error, log_.add(CommandKind::other, 0, error.where()));
    } catch (const std::exception& error) {
        const Lock lock(mutex_);
        fail_after(Error(Code::internal, std::string("Host work of a queue failed: ") + error.what(),
                         SourceLocation()),
                   log_.add(CommandKind::other, 0, {}));
    }
    {
        const Lock lock(mutex_);
        in_progress_ = 0;
        if (failed && !failure_) { // The failure was thrown meanwhile, but later commands must fail as well.
            fail_after(*failed, log_.add(CommandKind::none, 0, {}));
        }
    }
    // Destroyed first, because after pending_ is 0 the program may destroy the objects that the task uses.
    task = nullptr;
    const Lock lock(mutex_);
    --pending_;
    timeline().carried_out();
}

void* QueueState::map(const Region& region, Map access, MappedElements elements,
                      const SourceLocation& where) {
    const HostCommand used{{where}, region};
    while (true) {
        const std::uint64_t done = finish_commands(where);
        Lock lock(mutex_);
        throw_failure(done); // If a command failed, the bytes may be wrong.
        check_alive(where);
        if (pending_ != 0) {
            continue; // Another thread has enqueued host work.
        }
        if (!note(used)) {
            admit(used, where);
            continue; // The memory may have to wait for another queue.
        }
        log_.add(CommandKind::none, 0, where);
        try {
            void* const host = native_->map(place_of(region), region.bytes, access);
            if (backend::MistakeHooks* const hooks = device_->native().mistake_hooks()) {
                hooks->mapping_has_elements(*native_, host, elements);
            }
            return host;
        } catch (const Error& error) {
            throw error.with_where(where);
        }
    }
}

void QueueState::on_complete(std::function<void(EventStatus)> callback, const SourceLocation& where) {
    EventRef event = record(where);
    flush(where);
    callbacks_.push([this, event = std::move(event), callback = std::move(callback),
                     where]() FERRY_CATCHES_FORCED_UNWIND {
        EventStatus status;
        try {
            event->wait_on_serial_thread();
        } catch (const Error& error) {
            status = EventStatus(error);
        }
        race::host_waits(event->order);
        std::string thrown;
        try {
            callback(std::move(status));
            return;
            // Must be rethrown: this thread ends, and another one replaces it.
        } catch (const abi::__forced_unwind&) {
            const Lock lock(mutex_);
            if (!thrown_) {
                thrown_ =
                    Error(Code::command_failed,
                          "A completion callback ended its thread (pthread_exit() or a cancellation); a "
                          "callback has to return",
                          where);
            }
            throw;
        } catch (const std::exception& error) {
            thrown = error.what();
        } catch (...) {
            thrown = "something that is not a std::exception";
        }
        const Lock lock(mutex_);
        if (!thrown_) {
            thrown_ = Error(Code::command_failed, "A completion callback threw: " + thrown, where);
        }
    });
}

void QueueState::when_done(EventRef event, std::function<void(bool well)> then, const SourceLocation& where) {
    flush(where);
    callbacks_.push([event = std::move(event), then = std::move(then)] {
        bool well = true;
        try {
            event->wait_on_serial_thread();
        } catch (const Error&) { // finish() reports it.
            well = false;
        }
        then(well);
    });
}

std::uint64_t QueueState::finish_commands(const SourceLocation& where) {
    backlog_.drain();
    std::uint64_t upto = 0;
    std::uint64_t issued = 0;
    bool launched = false;
    {
        const Lock lock(mutex_);
        if (backend::process_is_exiting()) {
            check_alive(where);
        }
        upto = log_.last();
        issued = last_issued();
        launched = log_.has_launches();
    }
    try {
        const VendorCall call;
        call.check(where);
        native_->finish(wait_policy_);
        timeline().reach(issued);
        if (launched) {
            device_->has_run_kernels();
        }
    } catch (const Error& error) {
        if (backend::process_is_exiting()) {
            return issued;
        }
        settle(error, issued);
        const std::optional<Error> foreign = foreign_failure();
        const Lock lock(mutex_);
        remember(error, upto, foreign);
        return issued;
    }
    const Lock lock(mutex_);
    if (trace_) {
        trace_->finished();
    }
    if (!failure_) {
        log_.completed(issued);
    }
    return issued;
}

bool QueueState::settle(const Error& error, std::uint64_t number) noexcept {
    if (error.code() != Code::device_lost && !backend::process_is_exiting() && !native_->prove_done()) {
        timeline().abandon(number);
        return false;
    }
    timeline().reach(number);
    return true;
}

void QueueState::finish(const SourceLocation& where) {
    const WaitAtExit keeps_thread;
    const auto before = race_ != race::host ? race::Checker::get().record(race_) : nullptr;
    const std::uint64_t done = finish_commands(where);
    race::host_waits(before);
    race::host_waits(race_);
    callbacks_.drain();
    if (backend::process_is_exiting()) {
        return; // The wait began in time, and an error now would only make the process end abnormally.
    }
    const Lock lock(mutex_);
    const std::optional<Error> thrown = std::exchange(thrown_, std::nullopt);
    throw_failure(done);
    check_alive(where);
    if (thrown) {
        throw Error(*thrown);
    }
}

void QueueState::wait_for(const Mark& mark, const SourceLocation& where) {
    // CUDA and HIP only: there a wait for an event ends even if a command before the event has failed.
    const Backend here = device_->info().backend;
    const auto other = here == Backend::cuda || here == Backend::hip
                           ? std::static_pointer_cast<QueueState>(mark.timeline->queue())
                           : nullptr;
    if (other != nullptr && other->device().info().backend == here) {
        const EventRef event = other->record(where);
        const Lock lock(mutex_);
        if (pending_ == 0 && event->phase() == EventState::Phase::recorded &&
            native_->can_wait(event->native())) {
            issue(WaitCommand{{where}}, [&] { native_->wait(event->native()); });
            return;
        }
    }
    const Lock lock(mutex_);
    defer([mark](const Error*) {
        for (Backoff backoff; !mark.is_reached();) {
            mark.timeline->poll();
            if (mark.is_abandoned()) {
                throw Error(Code::command_failed,
                            "The memory of a command may still be used by another queue, because the driver "
                            "refuses to say whether its commands are done");
            }
            SerialThread::pause(backoff);
        }
    });
}

void QueueState::look_for_progress() noexcept {
    const Lock lock(mutex_);
    look_for_progress(lock);
}

void QueueState::look_for_progress(const Lock&) noexcept {
    try {
        const std::uint64_t last = last_issued();
        if (backend::process_is_exiting() || timeline().has_reached(last)) {
            return;
        }
        const auto is_done = [&](std::uint64_t number, auto&& ask) {
            bool done = true;
            try {
                done = ask();
            } catch (const Error& error) {
                remember(error, number);
                const bool proven = settle(error, number);
                if (!proven) {
                    timeline().abandon(last);
                }
                return proven;
            }
            if (done) {
                timeline().reach(number);
            }
            return done;
        };
        if (checkpoint_number_ != 0) {
            if (!is_done(checkpoint_number_, [&] { return checkpoint_->ready(); })) {
                return;
            }
            checkpoint_number_ = 0;
        }
        if (is_done(last, [&] { return native_->idle(); })) {
            return;
        }
        if (checkpoint_ == nullptr) {
            checkpoint_ = device_->native().create_event(false);
        }
        native_->record(*checkpoint_);
        native_->flush();
        checkpoint_number_ = last;
    } catch (const std::exception&) { // No command is known to be done.
    }
}

} // namespace ferry::detail
