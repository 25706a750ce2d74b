// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace ferry::backend {

extern constinit std::atomic<bool> exiting; ///< Set in process_exit.cpp.

/// True once process exit has begun. A relaxed load is sufficient, because this check only saves work.
/// VendorCall provides the exclusion: it counts itself and then does a sequentially consistent check.
inline bool process_is_exiting() noexcept {
    return exiting.load(std::memory_order_relaxed);
}

} // namespace ferry::backend
