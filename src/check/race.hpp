// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/checker.hpp"

#include <atomic>
#include <string>

// The calls of the front. With the check off, each of them is a load and a branch.
namespace ferry::detail::race {

/// -1: not read yet, 0: off, 1: on. Relaxed: a number that orders nothing; the checker has a mutex.
extern std::atomic<int> state;
int look_up(); ///< Throws Error (invalid_argument) for an unknown FERRY_CHECK value.

/// Whether queues and buffers created now are checked.
inline bool enabled() {
    const int now = state.load(std::memory_order_relaxed);
    return (now < 0 ? look_up() : now) != 0;
}
/// Called after the settings have changed.
inline void forget_setting() noexcept {
    state.store(-1, std::memory_order_relaxed);
}

inline void made(const Memory& memory, const SourceLocation& where) {
    if (enabled()) [[unlikely]] {
        Checker::get().made(memory, where);
    }
}
inline void destroyed(const Memory& memory) noexcept {
    if (state.load(std::memory_order_relaxed) > 0) [[unlikely]] {
        Checker::get().destroyed(memory);
    }
}
inline void check_alive(Actor queue, const char* what, const Region& region, const SourceLocation& where) {
    if (queue != host) [[unlikely]] {
        Checker::get().check_alive(what, region, where);
    }
}
inline void host_waits(const std::shared_ptr<const Clock>& event) {
    if (event != nullptr) [[unlikely]] {
        Checker::get().host_waits(*event);
    }
}
inline void host_waits(Actor queue) {
    if (queue != host) [[unlikely]] {
        Checker::get().host_waits(queue);
    }
}

/// The queue waits for an event of another library.
inline void wait_unseen(Actor queue) {
    if (queue != host) [[unlikely]] {
        Checker::get().wait_unseen(queue);
    }
}
/// The program has the native handle of the queue.
inline void expose(Actor queue) {
    if (queue != host) [[unlikely]] {
        Checker::get().expose(queue);
    }
}

} // namespace ferry::detail::race
