// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory_state.hpp"
#include "queue_state.hpp"

#include <utility>

// How a command of any kind is enqueued: the parts of QueueState that are templates.
namespace ferry::detail {

template <class Log, class Run>
void QueueState::issue(Log&& log, Run&& run) {
    log();
    if (trace_) {
        trace_->begin();
    }
    try {
        run();
    } catch (const Error& error) {
        if (trace_) {
            trace_->cancel();
        }
        const Error told =
            error.code() == Code::device_lost ? remember(error, log_.last() - 1) : log_.blame_last(error);
        log_.drop_last();
        throw told;
    }
    if (trace_) {
        trace_->end(log_.latest());
    }
}

template <class Log, class Run, class Later>
void QueueState::enqueue(SourceLocation where, Log&& log, Run&& run, Later&& later) {
    const Lock lock(mutex_);
    device_->check_alive(where);
    if (pending_ != 0) {
        defer(later());
        return;
    }
    issue(std::forward<Log>(log), std::forward<Run>(run));
    sync_if_asked();
}

template <class Run>
void QueueState::submit(CommandLog::What what, const Region& region, const Region& other,
                        SourceLocation where, const Run& run) {
    const std::size_t bytes = region.bytes;
    enqueue(
        where, [&] { log_.add(what, bytes, where); }, run,
        [&]() -> Task {
            return [=, this, kept = keep(region), kept_other = keep(other)](const Error* failed) {
                // A mapping has to end, whatever happened before it.
                if (failed == nullptr || what == CommandLog::What::unmap) {
                    const Lock lock(mutex_);
                    issue([&] { log_.add(what, bytes, where); }, run);
                }
            };
        });
}

} // namespace ferry::detail
