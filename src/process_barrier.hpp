// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::detail {

/// Every thread of the process passes a memory barrier meanwhile, so that what many threads do often needs
/// none (but std::atomic_signal_fence, for the compiler). A system call, membarrier(2).
/// False if that cannot be had: nothing but time passes then, and no time is a barrier.
bool process_barrier() noexcept;

} // namespace ferry::detail
