// SPDX-License-Identifier: Apache-2.0
#include "host/host_pool.hpp"
#include "system/machine.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace host_pool_test {

using ferry::host::Pool;

TEST_CASE("host pool: every unit once, jobs of several threads side by side") {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::size_t t = 0; t < 6; ++t) {
        threads.emplace_back([&wrong, t] {
            for (std::size_t round = 0; round < 60; ++round) {
                const std::size_t units = 1 + round * round * (t + 1);
                std::vector<std::atomic<std::uint8_t>> seen(units);
                Pool::get().run(units, [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                        ++seen[i];
                    }
                });
                for (const auto& count : seen) {
                    wrong += count != 1;
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
}

TEST_CASE("host pool: a job may bring another one") {
    std::atomic<std::size_t> sum{0};
    Pool::get().run(20, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            Pool::get().run(1000, [&](std::size_t a, std::size_t b) { sum += b - a; });
        }
    });
    CHECK(sum == 20 * 1000);
}

TEST_CASE("host pool: the first exception of any thread is rethrown, and the next job works") {
    for (const std::size_t bad : {0UL, 7UL, 99999UL}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(Pool::get().run(100000,
                                        [&](std::size_t first, std::size_t last) {
                                            if (first <= bad && bad < last) {
                                                throw std::logic_error("bad");
                                            }
                                        }),
                        ferry::Error);
        CHECK_THROWS_AS(Pool::get().run(1, [](std::size_t, std::size_t) { throw 1; }), ferry::Error);
        std::atomic<std::size_t> done{0};
        Pool::get().run(1000, [&](std::size_t first, std::size_t last) { done += last - first; });
        CHECK(done == 1000);
    }
}

TEST_CASE("host pool: a thread leaves a processor if it may use another one, and may come back") {
    std::thread([] { // a thread with its own affinity
        cpu_set_t before;
        REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
        const auto is_as_before = [&] {
            cpu_set_t now;
            return sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &before);
        };
        int left = 0;
        for (int round = 0; round < 100; ++round) {
            const int processor = ferry::host::current_processor();
            REQUIRE(processor >= 0);
            ferry::host::leave_processor(processor);
            left += ferry::host::current_processor() != processor ? 1 : 0;
            REQUIRE(is_as_before());
        }
        CHECK((CPU_COUNT(&before) == 1 ? left == 0 : left > 0));
        cpu_set_t one; // without another processor it stays
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(ferry::host::current_processor()), &one);
        if (sched_setaffinity(0, sizeof one, &one) == 0) {
            const int processor = ferry::host::current_processor();
            ferry::host::leave_processor(processor);
            CHECK(ferry::host::current_processor() == processor);
        }
    })
        .join();
}

} // namespace host_pool_test
