// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/timeline.hpp"

#include <atomic>

namespace ferry::detail {

/// Call after the first launch on a driver that compiles on threads of this process when a kernel first runs.
/// The compiler creates static objects meanwhile, and the destructor of each is an exit handler newer than
/// Ferry's. Until the command is known to be done, at most 20 seconds, a thread registers Ferry's handler
/// again, every 0.2 ms at first and less often later. The handler is therefore among the newest for every
/// thread that calls exit(). If no thread can be created, nothing is registered again.
void watch_first_launch(const Mark& launch) noexcept;

/// Call when commands are known to be done, before the program can know it, so that its later exit handlers
/// are newer than Ferry's.
void end_watch() noexcept;

/// Whether end_watch() has work to do. Relaxed: it is set under the mutex of the launch's queue, and only a
/// thread that had that mutex later can know that the launch is done.
inline constinit std::atomic<bool> is_watching{false};

} // namespace ferry::detail
