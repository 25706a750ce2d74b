// SPDX-License-Identifier: Apache-2.0
#include "system/pause.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace pause_test {

using namespace ferry::detail;
using namespace std::chrono_literals;

TEST_CASE("pause: polling ends with the answer or at its deadline, and asks at least once") {
    int asked = 0;
    CHECK(poll_until(PollClock::time_point(), 0ns, [&] { return ++asked == 1; }));
    CHECK(asked == 1);
    CHECK_FALSE(poll_until(PollClock::time_point(), 0ns, [&] { return ++asked == 100; }));
    CHECK(asked == 2);
    for (const auto pause : {0ns, 1000ns}) {
        asked = 0;
        CHECK(poll_until(PollClock::time_point::max(), pause, [&] { return ++asked == 257; }));
        CHECK(asked == 257);
    }
}

TEST_CASE("pause: the pauses of a wait are sleeps after the yields, and short again after progress") {
    Backoff backoff(3);
    for (int i = 0; i < 3; ++i) {
        backoff.pause();
    }
    const auto sleeps_at_least = [&](std::chrono::microseconds time) {
        const auto start = PollClock::now();
        backoff.pause();
        return PollClock::now() - start >= time;
    };
    for (int i = 0; i < 200; ++i) {
        CHECK(sleeps_at_least(20us));
    }
    CHECK(sleeps_at_least(50us));
    backoff.reset();
    for (int i = 0; i < 3; ++i) {
        backoff.pause();
    }
    CHECK(sleeps_at_least(20us));
}

} // namespace pause_test
