// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>

#include <atomic>
#include <new>
#include <utility>

namespace ferry::detail {

/// Calls the functions before and after each fork() of this process, until it ends. Null: none. Returns false
/// if memory is exhausted.
bool at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

/// The counter of fork_count(), from its first call on. Relaxed: it changes only in a child, which has one
/// thread.
extern constinit std::atomic<unsigned> forks_seen;

/// Changes in a child process made by fork(). An object created under another value belongs to a parent
/// process, and the child cannot use the parent's driver.
unsigned fork_count() noexcept;

[[noreturn]] void throw_forked(const char* what, const SourceLocation& where);

/// Rejects an object of a parent process. `made`: fork_count() at its creation. `what`: "The queue".
inline void check_process(unsigned made, const char* what, const SourceLocation& where) {
    if (made != forks_seen.load(std::memory_order_relaxed)) [[unlikely]] {
        throw_forked(what, where);
    }
}

/// Drops the object of a handle without its destructor, which would use objects of another process or
/// destroyed ones.
template <class Handle>
void abandon(Handle& handle) noexcept {
    static_cast<void>(new (std::nothrow) Handle(std::move(handle)));
}

} // namespace ferry::detail
