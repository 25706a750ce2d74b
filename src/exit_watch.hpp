// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pool/timeline.hpp"

#include <atomic>

namespace ferry::detail {

/// For a driver that compiles on threads of this process when a kernel runs for the first time, after that
/// launch: its compiler makes static objects meanwhile, and each of their destructors is an exit handler
/// newer than Ferry's. Until that command is known to be done, 20 seconds at most, a thread registers Ferry's
/// again, every 0.2 ms at first and more rarely later, so that whichever thread calls exit() finds it among
/// the newest. Without a thread to do it, it is not done.
void watch_first_launch(const Mark& launch) noexcept;

/// To be called when commands are known to be done, before the program hears of it: what it registers then is
/// newer than any handler of Ferry's.
void end_watch() noexcept;

/// end_watch() has something to do. Relaxed: it is set with the mutex of the launch's queue held, and only
/// who had that mutex later can know that the launch is done.
inline constinit std::atomic<bool> is_watching{false};

} // namespace ferry::detail
