// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/wait_forecast.hpp"
#include "system/pause.hpp"

#include <ferry/wait_policy.hpp>

namespace ferry::backend {

/// Polls `done` according to the policy until it returns true. `automatic` sleeps through most of the time
/// that the forecast expects, and polls without a pause towards its end. After 100 ms it returns false: the
/// caller then blocks with a vendor call, whose interrupt takes 100 microseconds (H200), or half a
/// millisecond once the processor is in a deep sleep. Not for `block`.
template <class Done>
bool poll(WaitPolicy policy, WaitForecast& forecast, const Done& done) {
    if (done()) {
        return true; // Does not query the time, which costs as much.
    }
    if (policy != WaitPolicy::automatic) {
        do {
            if (policy == WaitPolicy::yield) {
                detail::yield_thread();
            }
        } while (!done());
        return true;
    }
    Wait wait(forecast);
    do {
        wait.pass();
        if (wait.is_long()) {
            return false;
        }
    } while (!done());
    wait.end();
    return true;
}

} // namespace ferry::backend
