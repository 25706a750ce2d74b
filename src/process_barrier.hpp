// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::detail {

/// Whether this process may have its threads pass a barrier: membarrier(2).
bool has_process_barrier() noexcept;

/// Every thread of the process passes a memory barrier meanwhile, so that what many threads do often needs
/// none (but std::atomic_signal_fence, for the compiler). A system call. False if that cannot be had.
bool process_barrier() noexcept;

} // namespace ferry::detail
