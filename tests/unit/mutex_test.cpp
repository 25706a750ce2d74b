// SPDX-License-Identifier: Apache-2.0
#include "system/mutex.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

using ferry::detail::Mutex;
using ferry::detail::MutexHeld;
using ferry::detail::MutexReleased;

namespace {

constexpr int thread_count = 8;

template <class F>
void in_threads(const F& f) {
    std::vector<std::thread> threads;
    threads.reserve(thread_count);
    for (int i = 0; i < thread_count; ++i) {
        threads.emplace_back([&f, i] { f(i); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

/// Data that one thread at a time may change: two numbers that are always equal.
struct Pair {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    bool step() {
        const bool same = first == second;
        ++first;
        ++second;
        return same;
    }
};

} // namespace

TEST_CASE("mutex: one thread at a time, however it is locked") {
    constexpr std::uint64_t rounds = 3000;
    Mutex mutex;
    Pair pair;
    std::atomic<int> wrong{0};
    std::atomic<std::uint64_t> steps{0};
    in_threads([&](int i) {
        for (std::uint64_t round = 0; round < rounds; ++round) {
            bool good = true;
            if (i % 4 == 0) {
                const MutexHeld held(mutex);
                good = pair.step();
            } else if (i % 4 == 1) {
                const std::lock_guard held(mutex);
                good = pair.step();
            } else if (i % 4 == 2) {
                std::unique_lock held(mutex, std::try_to_lock);
                if (!held) {
                    continue;
                }
                good = pair.step();
            } else {
                const MutexHeld held(mutex);
                good = pair.step();
                {
                    const MutexReleased released(mutex);
                    std::this_thread::yield();
                }
                good = pair.step() && good;
                ++steps;
            }
            ++steps;
            wrong += good ? 0 : 1;
        }
    });
    CHECK(wrong == 0);
    CHECK(pair.first == steps);
    CHECK(pair.second == steps);
    CHECK(mutex.try_lock());
    CHECK_FALSE(mutex.try_lock());
    mutex.unlock();
}

// Each holder sleeps, so that the waiting threads must sleep too. A waiter that is never woken would not
// return.
TEST_CASE("mutex: threads that sleep for it are woken, all of them") {
    constexpr int rounds = 10;
    Mutex mutex;
    std::array<int, thread_count> turns{};
    in_threads([&](int i) {
        for (int round = 0; round < rounds; ++round) {
            const MutexHeld held(mutex);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            ++turns[static_cast<std::size_t>(i)];
        }
    });
    CHECK(std::ranges::all_of(turns, [](int n) { return n == rounds; }));
}

// The critical moment is an unlock while another thread is about to sleep. So the holder locks and unlocks
// often.
TEST_CASE("mutex: no waiter is forgotten between spinning and sleeping") {
    constexpr int rounds = 500;
    Mutex mutex;
    std::atomic<int> begun{0};
    std::atomic<int> had{0};
    for (int round = 0; round < rounds; ++round) {
        mutex.lock();
        std::thread other([&] {
            ++begun;
            const MutexHeld held(mutex);
            ++had;
        });
        while (begun != round + 1) {
        }
        const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(round * 20);
        while (std::chrono::steady_clock::now() < until) {
        }
        mutex.unlock();
        other.join();
    }
    CHECK(had == rounds);
}

TEST_CASE("mutex: it knows whether the calling thread holds it") {
    Mutex mutex;
    CHECK(!mutex.is_held_by_this_thread());
    const auto held_elsewhere = [&] {
        bool held = true;
        std::thread([&] { held = mutex.is_held_by_this_thread(); }).join();
        return held;
    };
    {
        const MutexHeld lock(mutex);
        CHECK(mutex.is_held_by_this_thread());
        CHECK(!held_elsewhere());
        {
            const MutexReleased released(mutex);
            CHECK(!mutex.is_held_by_this_thread());
        }
        CHECK(mutex.is_held_by_this_thread());
    }
    CHECK(!mutex.is_held_by_this_thread());
    {
        const std::unique_lock lock(mutex, std::try_to_lock);
        REQUIRE(lock.owns_lock());
        CHECK(mutex.is_held_by_this_thread());
    }
    in_threads([&](int) {
        for (int i = 0; i < 1000; ++i) {
            const std::lock_guard lock(mutex);
            REQUIRE(mutex.is_held_by_this_thread()); // also after a wait
        }
    });
    CHECK(!mutex.is_held_by_this_thread());
}
