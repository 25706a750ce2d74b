// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace ferry::detail {

class QueueState;

/// For a driver that compiles on threads of this process when a kernel runs for the first time, after that
/// launch: its compiler makes static objects meanwhile, and each of their destructors is an exit handler
/// newer than Ferry's. Until that command is known to be done, 20 seconds at most, a thread registers Ferry's
/// again, every 0.2 ms at first and more rarely later, so that whichever thread calls exit() finds it among
/// the newest. Without a thread to do it, it is not done.
void watch_first_launch(std::weak_ptr<QueueState> queue, std::uint64_t command) noexcept;

} // namespace ferry::detail
