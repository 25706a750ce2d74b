// SPDX-License-Identifier: Apache-2.0
#include "hal/poll.hpp"

#include <doctest/doctest.h>

using ferry::WaitPolicy;
using ferry::backend::WaitForecast;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST_CASE("wait forecast: without a wait there is nothing to expect, so no thread sleeps") {
    const WaitForecast forecast;
    CHECK(forecast.expected() == nanoseconds(0));
    CHECK(forecast.wake_time() == nanoseconds(0));
}

TEST_CASE("wait forecast: the shortest of the latest eight waits counts") {
    WaitForecast forecast;
    forecast.took(microseconds(400));
    for (int i = 0; i < 7; ++i) {
        forecast.took(milliseconds(2));
    }
    CHECK(forecast.expected() == microseconds(400));
    forecast.took(milliseconds(2));
    CHECK(forecast.expected() == milliseconds(2));
    forecast.took(nanoseconds(1));
    CHECK(forecast.expected() == nanoseconds(1));
    CHECK(forecast.wake_time() == nanoseconds(0));
}

TEST_CASE("wait forecast: a thread sleeps through most of the expected time and is awake before its end") {
    WaitForecast forecast;
    forecast.took(milliseconds(1));
    CHECK(forecast.wake_time() > microseconds(500));
    CHECK(forecast.wake_time() < milliseconds(1));
}

TEST_CASE("wait forecast: late sleeps make the next ones shorter, and are forgotten") {
    WaitForecast forecast;
    forecast.took(milliseconds(1));
    const nanoseconds before = forecast.wake_time();
    forecast.woke_late(microseconds(300));
    CHECK(forecast.wake_time() < before - microseconds(250));
    forecast.woke_late(milliseconds(5));
    CHECK(forecast.wake_time() == nanoseconds(0));
    for (int i = 0; i < 100; ++i) {
        forecast.took(milliseconds(1));
    }
    CHECK(forecast.wake_time() > microseconds(800));
}

TEST_CASE("wait forecast: no thread sleeps in short waits, which a sleep makes longer by some percent") {
    WaitForecast forecast;
    for (int i = 0; i < 100; ++i) {
        forecast.took(microseconds(80));
    }
    CHECK(forecast.wake_time() == nanoseconds(0));
}

TEST_CASE("wait forecast: a blocking call that returns at once makes the next sleep shorter") {
    for (int tries = 0;; ++tries) {
        WaitForecast forecast;
        forecast.took(milliseconds(1));
        const nanoseconds asleep = forecast.wake_time();
        ferry::backend::Wait wait(forecast);
        REQUIRE(wait.sleeps());
        wait.sleep();
        wait.end_of_block();
        // The whole wait took longer than this, so only a part of it was recorded.
        if (forecast.expected() < asleep) {
            CHECK(forecast.expected() >= asleep / 2);
            CHECK(forecast.wake_time() < asleep);
            break;
        }
        REQUIRE(tries < 1000); // The thread was interrupted, or slept for twice the time.
    }
}

TEST_CASE("wait forecast: a call that had nothing to wait for says nothing about the next wait") {
    for (int tries = 0;; ++tries) {
        WaitForecast forecast;
        const auto before = std::chrono::steady_clock::now();
        ferry::backend::Wait wait(forecast);
        wait.end_of_block();
        // otherwise the thread was interrupted
        if (std::chrono::steady_clock::now() - before < microseconds(1)) {
            CHECK(forecast.expected() == nanoseconds(0));
            break;
        }
        REQUIRE(tries < 1'000'000);
    }
}

TEST_CASE("wait forecast: times beyond its range stay in it") {
    WaitForecast forecast;
    forecast.took(std::chrono::hours(3));
    CHECK(forecast.expected() > std::chrono::seconds(4));
    forecast.woke_late(-milliseconds(1));
    forecast.woke_late(std::chrono::hours(3));
    CHECK(forecast.wake_time() == nanoseconds(0));
}

TEST_CASE("poll: asks until the work is done, under each policy") {
    for (const WaitPolicy policy : {WaitPolicy::automatic, WaitPolicy::spin, WaitPolicy::yield}) {
        WaitForecast forecast;
        for (const int questions : {1, 2, 3, 1000}) {
            int asked = 0;
            while (!poll(policy, forecast, [&] { return ++asked >= questions; })) {
                REQUIRE(policy == WaitPolicy::automatic); // on a busy machine it stops spinning after 100 ms
            }
            CHECK(asked == questions);
        }
    }
}

TEST_CASE("poll: automatic gives long work up to a call that blocks, the others never do") {
    WaitForecast forecast;
    CHECK_FALSE(poll(WaitPolicy::automatic, forecast, [] { return false; }));
    CHECK(forecast.expected() == nanoseconds(0)); // the duration is unknown
    const auto start = std::chrono::steady_clock::now();
    const auto is_over = [&] { return std::chrono::steady_clock::now() - start > milliseconds(150); };
    CHECK(poll(WaitPolicy::spin, forecast, is_over));
    CHECK(is_over());
}
