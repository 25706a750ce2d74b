// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/queue_state.hpp"

#include <array>
#include <memory>
#include <utility>

// The templates of QueueState that enqueue a command of any kind.
namespace ferry::detail {

template <class C>
std::uint64_t QueueState::begin_task(const C& command, CommandKind kind) {
    note(command);
    in_progress_ = log_.add(kind, command.bytes(), command.where);
    return in_progress_;
}

template <class C>
void QueueState::issue(const C& command) {
    issue(command, [&] { command.run({*native_, host_writes_, timeline(), batched_, log_.last()}); });
}

template <class C, class Run>
void QueueState::issue(const C& command, const Run& run) {
    log_.add(command);
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

template <class C>
bool QueueState::is_admitted(const C& command) const noexcept {
    bool admitted = true;
    detail::for_each_memory(command,
                            [&](Memory& memory) { admitted = admitted && memory.has_admitted(timeline()); });
    return admitted;
}

template <class C>
[[gnu::hot]] bool QueueState::note(const C& command) noexcept {
    // Up to this number of memory objects, each is looked up only once.
    std::array<Uses::Slot*, 16> slots;
    std::size_t count = 0;
    bool admitted = true;
    detail::for_each_memory(command, [&](Memory& memory) {
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
        detail::for_each_memory(command, [&](Memory& memory) { memory.note(timeline(), log_.last() + 1); });
        return true;
    }
    for (std::size_t i = 0; i < count; ++i) {
        // Relaxed: the program orders the command before the end of the buffer, which reads the number.
        slots[i]->number.store(log_.last() + 1, std::memory_order_relaxed);
    }
    return true;
}

template <class C>
void QueueState::admit(const C& command, const SourceLocation& where) {
    const MutexReleased released(mutex_);
    detail::for_each_memory(command, [&](Memory& memory) { memory.admit(*this, where); });
}

template <class C>
void QueueState::note_deferred(const C& command) noexcept {
    detail::for_each_memory(
        command, [&](Memory& memory) { memory.hold_back(timeline(), timeline().last_held_back()); });
}

template <class C>
[[gnu::hot]] void QueueState::enqueue(const C& command) {
    const MutexHeld lock(mutex_);
    check_alive(command.where);
    while (pending_ != 0 || !note(command))
        [[unlikely]] {
            admit(command, command.where);
            check_alive(command.where);
            if (pending_ != 0) {
                defer([this, kept = std::make_shared<const KeptCommand<C>>(command)](const Error* failed) {
                    if (failed == nullptr || C::runs_after_failure) {
                        const Lock held(mutex_);
                        note(kept->command);
                        issue(kept->command);
                    }
                });
                note_deferred(command);
                return;
            }
        }
    issue(command);
    sync_if_asked();
}

} // namespace ferry::detail
