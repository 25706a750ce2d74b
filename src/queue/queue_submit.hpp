// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"

#include <array>
#include <utility>

// The templates of QueueState that enqueue a command of any kind.
namespace ferry::detail {

template <class Log, class Run>
void QueueState::issue(Log&& log, Run&& run) {
    log();
    if (trace_) {
        trace_->begin();
    }
    const auto take_back = [&] {
        if (trace_) {
            trace_->cancel();
        }
        log_.drop_last();
    };
    native_->taken = {};
    try {
        run();
    } catch (const Error& error) {
        const Error blamed =
            error.code() == Code::device_lost
                ? remember(error, log_.last() - 1)
                : log_.blame_last(log_.with_part(error, native_->taken.bytes, native_->taken.kernel));
        take_back();
        throw blamed;
    } catch (...) { // Out of memory.
        take_back();
        throw;
    }
    if (trace_) {
        trace_->end(log_.latest());
    }
}

template <class F>
void QueueState::for_each_memory(const Regions& used, F&& f) {
    for (const Region* const region : {&used.first, &used.second}) {
        if (region->memory != nullptr) {
            f(*region->memory);
        }
    }
}

template <class F>
void QueueState::for_each_memory(std::span<const Argument> used, F&& f) {
    for (const Argument& argument : used) {
        if (argument.kind == Argument::Kind::buffer && argument.region.memory != nullptr) {
            f(*argument.region.memory);
        }
    }
}

template <class F>
void QueueState::for_each_memory(std::span<const BatchedCopy> used, F&& f) {
    for (const BatchedCopy& copy : used) {
        for_each_memory(Regions{copy.from, copy.to}, f);
    }
}

template <class Used>
bool QueueState::is_admitted(const Used& used) const noexcept {
    bool admitted = true;
    for_each_memory(used, [&](Memory& memory) { admitted = admitted && memory.has_admitted(timeline()); });
    return admitted;
}

template <class Used>
[[gnu::hot]] bool QueueState::note(const Used& used) noexcept {
    // Up to this number of memory objects, each is looked up only once.
    std::array<Uses::Slot*, 16> slots;
    std::size_t count = 0;
    bool admitted = true;
    for_each_memory(used, [&](Memory& memory) {
        Uses::Slot* const slot = memory.admitted(timeline());
        admitted = admitted && slot != nullptr;
        if (count < slots.size()) {
            slots[count] = slot;
        }
        ++count;
    });
    if (!admitted) [[unlikely]] { // A noted number that no command gets would never be reached.
        return false;
    }
    if (count > slots.size()) [[unlikely]] {
        for_each_memory(used, [&](Memory& memory) { memory.note(timeline(), log_.last() + 1); });
        return true;
    }
    for (std::size_t i = 0; i < count; ++i) {
        slots[i]->number.store(log_.last() + 1, std::memory_order_relaxed); // See Uses::Slot.
    }
    return true;
}

template <class Used>
void QueueState::admit(const Used& used, const SourceLocation& where) {
    const MutexReleased released(mutex_);
    for_each_memory(used, [&](Memory& memory) { memory.admit(*this, where); });
}

template <class Used>
void QueueState::note_deferred(const Used& used) noexcept {
    for_each_memory(used, [&](Memory& memory) { memory.hold_back(timeline(), timeline().last_held_back()); });
}

template <class Used, class Log, class Run, class Later>
void QueueState::enqueue(const Used& used, const SourceLocation& where, Log&& log, Run&& run, Later&& later) {
    const MutexHeld lock(mutex_);
    check_alive(where);
    while (pending_ != 0 || !note(used))
        [[unlikely]] {
            admit(used, where);
            check_alive(where);
            if (pending_ != 0) {
                defer(later());
                note_deferred(used);
                return;
            }
        }
    issue(std::forward<Log>(log), std::forward<Run>(run));
    sync_if_asked();
}

template <class Run>
void QueueState::submit(CommandLog::What what, const Region& region, const Region& other,
                        const SourceLocation& where, const Run& run) {
    const std::size_t bytes = region.bytes;
    enqueue(
        Regions{region, other}, where, [&] { log_.add(what, bytes, where); }, run,
        [&]() -> Task {
            return [=, this, kept = keep(region), kept_other = keep(other)](const Error* failed) {
                // A mapping must end even if an earlier command failed.
                if (failed == nullptr || what == CommandLog::What::unmap) {
                    const Lock lock(mutex_);
                    note(Regions{region, other});
                    issue([&] { log_.add(what, bytes, where); }, run);
                }
            };
        });
}

} // namespace ferry::detail
