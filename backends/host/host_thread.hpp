// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/machine.hpp"

#include <chrono>

namespace ferry::host {

inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield"); // Orders nothing.
#endif
}

/// Polls `done` for some microseconds, because most commands are that short and waking up takes as long.
/// Returns its last result.
template <class Done>
bool spin_until(const Done& done) {
    using Clock = std::chrono::steady_clock;
    constexpr auto longest = std::chrono::microseconds(20);
    if (thread_count() > 1) {
        const auto end = Clock::now() + longest;
        do {
            for (int i = 0; i < 16; ++i) {
                if (done()) {
                    return true;
                }
                relax();
            }
        } while (Clock::now() < end);
    }
    return done();
}

} // namespace ferry::host
