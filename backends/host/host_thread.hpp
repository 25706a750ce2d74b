// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/machine.hpp"
#include "system/pause.hpp"

#include <chrono>

namespace ferry::host {

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
                detail::relax_processor();
            }
        } while (Clock::now() < end);
    }
    return done();
}

} // namespace ferry::host
