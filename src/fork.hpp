// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>

#include <atomic>
#include <new>
#include <utility>

namespace ferry::detail {

/// What fork_count() counts, from its first call on. Relaxed: it changes in a child that has one thread.
extern constinit std::atomic<unsigned> forks_seen;

/// Changes in a child process made by fork(). What was made under another value belongs to a parent process,
/// whose driver the child cannot use.
unsigned fork_count() noexcept;

[[noreturn]] void throw_forked(const char* what, const SourceLocation& where);

/// Refuses what was made in a parent process; `made`: fork_count() then. `what`: "The queue".
inline void check_process(unsigned made, const char* what, const SourceLocation& where) {
    if (made != forks_seen.load(std::memory_order_relaxed)) [[unlikely]] {
        throw_forked(what, where);
    }
}

/// Lets go of what a handle holds without the end of it: that would call what is another process's, or is
/// gone.
template <class Handle>
void abandon(Handle& handle) noexcept {
    static_cast<void>(new (std::nothrow) Handle(std::move(handle)));
}

} // namespace ferry::detail
