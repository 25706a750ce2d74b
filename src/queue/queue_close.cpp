// SPDX-License-Identifier: Apache-2.0
// The idle query, the refusal of commands and the end of a queue.
#include "base/process_exit.hpp"
#include "check/race.hpp"
#include "queue/queue_state.hpp"

#include <exception>
#include <utility>

namespace ferry::detail {

void QueueState::flush(const SourceLocation& where) {
    const Lock lock(mutex_);
    check_alive(where);
    try {
        native_->flush();
    } catch (const Error& error) {
        throw error.code() == Code::device_lost ? remember(error, log_.last()) : error.with_where(where);
    }
}

bool QueueState::idle(const SourceLocation& where) {
    const Lock lock(mutex_);
    check_alive(where);
    if (pending_ != 0) {
        return false;
    }
    try {
        if (!native_->idle()) {
            return false;
        }
        timeline().reach(log_.last());
    } catch (const Error& error) {
        remember(error, log_.last());
        settle(error, log_.last());
    }
    race::host_waits(race_);
    return true;
}

void QueueState::refuse(const SourceLocation& where) {
    if (backend::process_is_exiting()) {
        const MutexReleased released(mutex_); // Process exit waits for it.
        keep_thread_at_exit();
    }
    device_->check_alive(where);
    throw Error(Code::invalid_state, device_->describe() + " cannot be used", where); // Not reached.
}

void QueueState::close() noexcept {
    if (backend::process_is_exiting()) {
        return;
    }
    try {
        finish_commands({});
    } catch (const std::exception&) { // A destructor cannot report it.
    }
    race::host_waits(race_);
    callbacks_.drain();
    decltype(waited_) waited; // Two queues that waited for each other would keep each other alive.
    {
        const Lock lock(mutex_);
        waited.swap(waited_);
        trace_.reset();
    }
    release_events();
}

} // namespace ferry::detail
