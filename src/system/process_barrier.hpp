// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::detail {

/// Makes every thread of the process pass a memory barrier, so that frequent operations of many threads need
/// none (except std::atomic_signal_fence, for the compiler). A system call, membarrier(2). Returns false if
/// it is not available: the call then has no effect, and elapsed time is not a barrier.
bool process_barrier() noexcept;

} // namespace ferry::detail
