// SPDX-License-Identifier: Apache-2.0
#include "driver/range_lock.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <thread>
#include <vector>

using ferry::driver::RangeLock;

namespace {

constexpr std::uintptr_t cells = 16;

/// Counts the holders of each place. An exclusive holder counts as many.
struct Places {
    static constexpr int one_alone = 1000;

    /// Whether no conflicting holder was in the range.
    bool visit(std::uintptr_t begin, std::uintptr_t end, bool alone) {
        const int step = alone ? one_alone : 1;
        bool good = true;
        for (std::uintptr_t at = begin; at < end; ++at) {
            const int before = at_[at].fetch_add(step);
            good = good && (alone ? before == 0 : before < one_alone);
        }
        std::this_thread::yield();
        for (std::uintptr_t at = begin; at < end; ++at) {
            at_[at].fetch_sub(step);
        }
        return good;
    }

private:
    std::array<std::atomic<int>, cells> at_{};
};

} // namespace

TEST_CASE("range lock: many shared holders or one exclusive one, at each address") {
    constexpr int rounds = 2000;
    RangeLock lock;
    Places places;
    std::atomic<int> wrong{0};
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            std::mt19937 random(i);
            RangeLock::User user(lock);
            for (int round = 0; round < rounds; ++round) {
                const std::uintptr_t begin = random() % cells;
                const std::uintptr_t end = begin + 1 + random() % (cells - begin);
                if (i < 2 && round % 4 == 0) {
                    const RangeLock::Alone range(lock, begin, end);
                    wrong += places.visit(begin, end, true) ? 0 : 1;
                } else {
                    const RangeLock::Together range(user, begin, end);
                    wrong += places.visit(begin, end, false) ? 0 : 1;
                }
            }
        });
    }
    threads.clear();
    CHECK(wrong == 0);
}

// Correct code passes at any scheduling. The short sleeps give wrong code the time to fail.
TEST_CASE("range lock: an exclusive holder waits for earlier shared holders, and later ones wait for it") {
    const auto nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    for (const bool somebody_is_alone_elsewhere : {true, false}) {
        RangeLock lock;
        RangeLock::User early(lock);
        RangeLock::User late(lock);
        RangeLock::User beside(lock);
        std::atomic<bool> early_is_gone{false};
        std::atomic<bool> is_alone{false};
        std::atomic<bool> beside_was_had{false};
        std::atomic<bool> alone_is_gone{false};
        std::jthread alone;
        {
            std::optional<RangeLock::Alone> elsewhere; // with it, shared locks take another path
            if (somebody_is_alone_elsewhere) {
                elsewhere.emplace(lock, 8, 9);
            }
            const RangeLock::Together range(early, 0, 4);
            alone = std::jthread([&] {
                const RangeLock::Alone whole(lock, 3, 5);
                CHECK(early_is_gone);
                is_alone = true;
                is_alone.notify_all();
                beside_was_had.wait(false);
                nap();
                alone_is_gone = true;
            });
            nap();
            early_is_gone = true;
        }
        is_alone.wait(false);
        const std::jthread later([&] {
            const RangeLock::Together overlapping(late, 4, 6);
            CHECK(alone_is_gone);
        });
        {
            const RangeLock::Together range(beside, 5, 8); // a range that no other thread uses
            CHECK_FALSE(alone_is_gone);
        }
        beside_was_had = true;
        beside_was_had.notify_all();
    }
}

// Only the lock orders their accesses.
TEST_CASE("range lock: repeated shared holders do not starve an exclusive one") {
    constexpr int user_count = 3;
    constexpr int rounds = 3000;
    RangeLock lock;
    std::atomic<bool> over{false};
    struct alignas(64) Inside {
        std::atomic<bool> flag{false};
    };
    std::array<Inside, user_count> inside;
    int wrong = 0;
    {
        std::vector<std::jthread> users;
        users.reserve(user_count);
        for (Inside& mine : inside) {
            users.emplace_back([&] {
                RangeLock::User user(lock);
                while (!over.load(std::memory_order_relaxed)) {
                    const RangeLock::Together range(user, 0, 10);
                    mine.flag.store(true, std::memory_order_relaxed);
                    std::atomic_signal_fence(std::memory_order_seq_cst);
                    mine.flag.store(false, std::memory_order_relaxed);
                }
            });
        }
        for (int round = 0; round < rounds; ++round) {
            const RangeLock::Alone range(lock, 0, 10);
            for (int look = 0; look < 100; ++look) {
                for (const Inside& one : inside) {
                    wrong += one.flag.load(std::memory_order_acquire) ? 1 : 0;
                }
            }
        }
        over = true;
    }
    CHECK(wrong == 0);
}
