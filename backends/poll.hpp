// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wait_forecast.hpp"

#include <ferry/wait_policy.hpp>

#include <thread>

namespace ferry::backend {

/// Asks `done` again and again, as the policy says, until it returns true. `automatic` sleeps through most of
/// the time that the forecast expects and asks without a pause towards its end. It gives up after 100 ms and
/// returns false: the caller then blocks by a call of the vendor's, whose interrupt takes 100 microseconds
/// (H200), or half a millisecond once the processor is in a deep sleep. `block` is not for this function.
template <class Done>
bool poll(WaitPolicy policy, WaitForecast& forecast, const Done& done) {
    if (done()) {
        return true; // without asking for the time, which costs as much
    }
    if (policy != WaitPolicy::automatic) {
        do {
            if (policy == WaitPolicy::yield) {
                std::this_thread::yield();
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
