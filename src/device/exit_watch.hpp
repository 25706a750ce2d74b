// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/timeline.hpp"

#include <atomic>

namespace ferry::detail {

/// For a driver that compiles on threads of this process when a kernel runs for the first time; call after
/// that launch. The compiler creates static objects meanwhile, and each of their destructors is an exit
/// handler newer than Ferry's. Until the command is known to be done, 20 seconds at most, a thread registers
/// Ferry's handler again, every 0.2 ms at first and less often later, so that it is among the newest for
/// every thread that calls exit(). If no thread can be created, it is not done.
void watch_first_launch(const Mark& launch) noexcept;

/// Call when commands are known to be done, before the program can know it, so that its later exit handlers
/// are newer than Ferry's.
void end_watch() noexcept;

/// Whether end_watch() has work to do. Relaxed: it is set under the mutex of the launch's queue, and only a
/// thread that had that mutex later can know that the launch is done.
inline constinit std::atomic<bool> is_watching{false};

} // namespace ferry::detail
