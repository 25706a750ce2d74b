// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <utility>

namespace ferry::detail {

/// Changes in a child process made by fork(). What was made under another value belongs to a parent process,
/// whose driver the child cannot use.
unsigned fork_count() noexcept;

/// Lets go of what a handle holds without the end of it: that would call what is another process's, or is
/// gone.
template <class Handle>
void abandon(Handle& handle) noexcept {
    static_cast<void>(new (std::nothrow) Handle(std::move(handle)));
}

} // namespace ferry::detail
