// SPDX-License-Identifier: Apache-2.0
#include "memory/device_pool.hpp"
#include "pool_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace pool_test {

using namespace ferry::detail;
using ferry::MemoryKind;
using pool_test::PaperDevice;

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// The ranges of all buffers, from address to end. Rejects overlaps.
class Model {
public:
    void add(std::uint64_t from, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        const auto after = given_.lower_bound(from);
        REQUIRE((after == given_.end() || after->first >= from + bytes));
        REQUIRE((after == given_.begin() || std::prev(after)->second <= from));
        given_[from] = from + bytes;
    }
    void remove(std::uint64_t from) {
        const std::lock_guard lock(mutex_);
        REQUIRE(given_.erase(from) == 1);
    }

private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> given_;
};

struct Held {
    MemoryKind kind;
    Block* block;
    std::size_t bytes;
};

std::uint64_t address(const Block& block) {
    return DevicePool::native_of(block).address;
}

std::size_t random_size(std::mt19937_64& random) {
    const std::size_t power = random() % 25;
    return 1 + static_cast<std::size_t>(random()) % (std::size_t{2} << power);
}

/// Allocates and frees at random for a while.
void churn(DevicePool& pool, Model& model, std::uint64_t seed, Timeline& mine, Timeline& other) {
    std::mt19937_64 random(seed);
    std::vector<Held> held;
    std::uint64_t number = mine.base();
    for (int step = 0; step < 4000; ++step) {
        if (held.size() < 40 && random() % 2 == 0) {
            const auto kind = static_cast<MemoryKind>(random() % 3);
            const std::size_t bytes = random_size(random);
            Block* block = &pool.take(kind, bytes);
            if (kind != MemoryKind::device) {
                REQUIRE(is_clear_for(block->marks, nullptr)); // the host may write at once
            } else if (!is_clear_for(block->marks, &mine)) {
                Block* const better = pool.exchange(kind, *block, bytes, &mine);
                block = better != nullptr ? better : block;
                REQUIRE((better == nullptr || is_clear_for(block->marks, &mine)));
            }
            REQUIRE(block->bytes >= bytes);
            REQUIRE(address(*block) % (bytes < 64 * kib ? 512 : 4096) == 0);
            model.add(address(*block), bytes);
            pool.count_buffer(kind, bytes);
            held.push_back({kind, block, bytes});
        } else if (!held.empty()) {
            std::swap(held[random() % held.size()], held.back());
            const Held last = held.back();
            held.pop_back();
            model.remove(address(*last.block));
            if (random() % 3 != 0) {
                add_mark(last.block->marks, {random() % 2 == 0 ? &mine : &other, ++number});
            }
            pool.give(last.kind, *last.block);
            pool.uncount_buffer(last.kind, last.bytes);
        }
        if (random() % 10 == 0) {
            mine.reach(number - number % 3);
        }
        if (random() % 200 == 0) {
            pool.trim(random() % (64 * mib));
        }
    }
    mine.reach(number);
    other.reach(number);
    for (const Held& last : held) {
        model.remove(address(*last.block));
        pool.give(last.kind, *last.block);
        pool.uncount_buffer(last.kind, last.bytes);
    }
}

/// A queue's timeline that the test advances.
struct Line {
    Timeline& timeline = Timeline::acquire();
    std::uint64_t base = timeline.base();
    ~Line() { timeline.release(base + 1'000'000); }
};

} // namespace

TEST_CASE("pool: at random against a model, one thread and several, with parts and without") {
    for (const bool parts : {true, false}) {
        CAPTURE(parts);
        PaperDevice device{std::uint64_t{8} << 30, parts};
        DevicePool pool{device, true};
        Model model;
        Line lines[5];
        churn(pool, model, 1, lines[0].timeline, lines[4].timeline);
        pool.check();
        std::vector<std::thread> threads;
        for (std::uint64_t i = 0; i < 4; ++i) {
            threads.emplace_back(
                [&, i] { churn(pool, model, 10 + i, lines[i].timeline, lines[4].timeline); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        for (Line& line : lines) {
            line.timeline.reach(line.base + 1'000'000);
        }
        pool.check();
        CHECK(pool.use().used == 0);
        CHECK(pool.use().buffers == 0);
        CHECK(pool.use().reserved == device.used());
        pool.trim(0);
        pool.check();
        CHECK(pool.use().reserved == 0);
        CHECK(device.used() == 0);
        CHECK(device.parts == 0);
        CHECK(device.allocations == device.frees);
    }
}

TEST_CASE("pool: steady state asks nothing of the driver") {
    PaperDevice device{std::uint64_t{1} << 30};
    DevicePool pool{device, true};
    for (const std::size_t bytes : {1 * kib, 64 * kib, 1 * mib, 16 * mib, 100 * mib}) {
        CAPTURE(bytes);
        pool.give(MemoryKind::device, pool.take(MemoryKind::device, bytes));
        const int allocations = device.allocations;
        for (int i = 0; i < 100; ++i) {
            Block& block = pool.take(MemoryKind::device, bytes);
            CHECK(device.parts <= 5);
            pool.give(MemoryKind::device, block);
        }
        CHECK(device.allocations == allocations);
    }
}

TEST_CASE("pool: memory kept by another thread is used before the driver's, and trimmed with the rest") {
    PaperDevice device{std::uint64_t{2} << 20}; // one segment
    DevicePool pool{device, true};
    std::vector<Block*> all;
    for (int i = 0; i < 32; ++i) {
        all.push_back(&pool.take(MemoryKind::device, 64 * kib));
    }
    const int allocations = device.allocations;
    std::thread([&] {
        for (Block* const block : all) {
            pool.give(MemoryKind::device, *block);
        }
    }).join();
    for (Block*& block : all) {
        block = &pool.take(MemoryKind::device, 64 * kib);
    }
    CHECK(device.allocations == allocations);
    std::sort(all.begin(), all.end());
    CHECK(std::unique(all.begin(), all.end()) == all.end());
    std::thread([&] {
        for (Block* const block : all) {
            pool.give(MemoryKind::device, *block);
        }
    }).join();
    pool.give(MemoryKind::device, pool.take(MemoryKind::device, 2 * mib)); // joined from kept memory
    CHECK(device.allocations == allocations);
    pool.check();
    CHECK(pool.trim(0) == 2 * mib);
    CHECK(device.used() == 0);
}

TEST_CASE("pool: a block whose commands are not done stays on its shelf") {
    PaperDevice device{std::uint64_t{1} << 30};
    DevicePool pool{device, true};
    Line line;
    Block& first = pool.take(MemoryKind::device, 1000);
    add_mark(first.marks, {&line.timeline, line.base + 1});
    pool.give(MemoryKind::device, first);
    Block& second = pool.take(MemoryKind::device, 1000);
    CHECK(&second != &first);
    line.timeline.reach(line.base + 1);
    Block& third = pool.take(MemoryKind::device, 1000);
    CHECK(&third == &first);
    CHECK(third.marks.empty());
    pool.give(MemoryKind::device, second);
    pool.give(MemoryKind::device, third);
}

TEST_CASE("pool: a marked block is given to its own queue, to others only when it is done") {
    PaperDevice device{std::uint64_t{1} << 30};
    DevicePool pool{device, true};
    Line first;
    Line second;
    Block* block = &pool.take(MemoryKind::device, 20 * mib);
    const std::uint64_t at = address(*block);
    add_mark(block->marks, {&first.timeline, first.base + 7});
    pool.give(MemoryKind::device, *block);

    block = &pool.take(MemoryKind::device, 20 * mib);
    CHECK(address(*block) == at); // a guarantee: the same queue may use it at once
    CHECK(is_clear_for(block->marks, &first.timeline));
    CHECK_FALSE(is_clear_for(block->marks, &second.timeline));
    Block* const other = pool.exchange(MemoryKind::device, *block, 20 * mib, &second.timeline);
    REQUIRE(other != nullptr);
    CHECK(address(*other) != at);
    pool.give(MemoryKind::device, *other);

    first.timeline.reach(first.base + 7);
    std::vector<std::uint64_t> seen{address(pool.take(MemoryKind::device, 20 * mib)),
                                    address(pool.take(MemoryKind::device, 20 * mib))};
    CHECK(std::count(seen.begin(), seen.end(), at) == 1);
    CHECK(device.allocations == 2);
}

TEST_CASE("pool: host and shared memory is given out only when it is done") {
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
        PaperDevice device{std::uint64_t{1} << 30};
        DevicePool pool{device, true};
        Line line;
        Block* block = &pool.take(kind, 1 * mib);
        const std::uint64_t at = address(*block);
        add_mark(block->marks, {&line.timeline, line.base + 1});
        pool.give(kind, *block);
        for (int i = 0; i < 50; ++i) {
            CHECK(address(pool.take(kind, 1 * mib)) != at);
        }
        line.timeline.reach(line.base + 1);
        bool again = false;
        for (int i = 0; i < 50 && !again; ++i) {
            again = address(pool.take(kind, 1 * mib)) == at;
        }
        CHECK(again);
    }
}

TEST_CASE("pool: neighbours are joined when a larger block is asked for") {
    PaperDevice device{8 * mib};
    DevicePool pool{device, true};
    std::vector<Block*> blocks;
    for (int i = 0; i < 8; ++i) {
        blocks.push_back(&pool.take(MemoryKind::device, 1 * mib));
    }
    for (Block* const block : blocks) {
        pool.give(MemoryKind::device, *block);
    }
    Block& large = pool.take(MemoryKind::device, 2 * mib);
    CHECK(large.bytes >= 2 * mib);
    CHECK(device.used() <= 8 * mib);
    pool.check();
}

TEST_CASE("pool: out of memory releases idle memory, tries again, and reports the used memory") {
    PaperDevice device{100 * mib};
    DevicePool pool{device, true};
    pool.give(MemoryKind::device, pool.take(MemoryKind::device, 60 * mib));
    pool.give(MemoryKind::host, pool.take(MemoryKind::host, 30 * mib));
    CHECK(pool.use().reserved == 90 * mib);
    Block& block = pool.take(MemoryKind::device, 95 * mib);
    CHECK(pool.use().reserved == 96 * mib);
    pool.count_buffer(MemoryKind::device, 95 * mib);
    try {
        pool.take(MemoryKind::device, 20 * mib);
        FAIL("It was given");
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::out_of_memory);
        CHECK(std::string(error.what()).find(std::to_string(95 * mib)) != std::string::npos);
        CHECK(std::string(error.what()).find(std::to_string(96 * mib)) != std::string::npos);
    }
    pool.uncount_buffer(MemoryKind::device, 95 * mib);
    pool.give(MemoryKind::device, block);
}

TEST_CASE("pool: the limit holds, and its error names it") {
    PaperDevice device{std::uint64_t{1} << 30};
    DevicePool pool{device, true};
    pool.set_limit(10 * mib);
    CHECK(pool.limit() == 10 * mib);
    Block& block = pool.take(MemoryKind::device, 8 * mib);
    CHECK(pool.use().reserved <= 10 * mib);
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        try {
            pool.take(kind, 3 * mib);
            FAIL("It was given");
        } catch (const ferry::Error& error) {
            CHECK(error.code() == ferry::Code::out_of_memory);
            CHECK(std::string(error.what()).find(std::to_string(10 * mib)) != std::string::npos);
        }
    }
    CHECK(device.refusals == 0);
    pool.give(MemoryKind::device, block);
    pool.set_limit(~std::uint64_t{0});
    pool.take(MemoryKind::device, 30 * mib);
}

TEST_CASE("pool: page-locked memory beyond the budget does not lie idle") {
    const std::uint64_t budget = DevicePool::pinned_budget();
    REQUIRE(budget != 0);
    PaperDevice device{budget * 8};
    DevicePool pool{device, true};
    std::vector<Block*> blocks;
    const std::size_t bytes = budget / 4;
    for (int i = 0; i < 8; ++i) {
        blocks.push_back(&pool.take(MemoryKind::host, bytes)); // an explicit request is granted
    }
    CHECK(pool.use(MemoryKind::host).reserved >= 8 * bytes);
    for (Block* const block : blocks) {
        pool.give(MemoryKind::host, *block);
    }
    CHECK(pool.use(MemoryKind::host).reserved <= budget);
    CHECK(pool.use(MemoryKind::host).reserved >= budget / 2);
}

TEST_CASE("pool: figures add up over the kinds, and peaks stay") {
    PaperDevice device{std::uint64_t{1} << 30};
    DevicePool pool{device, true};
    std::vector<Held> held;
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        for (const std::size_t bytes : {100 * kib, 3 * mib, 20 * mib}) {
            held.push_back({kind, &pool.take(kind, bytes), bytes});
            pool.count_buffer(kind, bytes);
        }
    }
    ferry::PoolUse sum;
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        const ferry::PoolUse use = pool.use(kind);
        CHECK(use.used == 100 * kib + 23 * mib);
        CHECK(use.reserved >= use.used);
        sum.used += use.used;
        sum.reserved += use.reserved;
        sum.buffers += use.buffers;
        sum.allocations += use.allocations;
        sum.driver_allocations += use.driver_allocations;
    }
    CHECK(pool.use().used == sum.used);
    CHECK(pool.use().reserved == sum.reserved);
    CHECK(pool.use().reserved == device.used());
    CHECK(pool.use().buffers == 9);
    CHECK(pool.use().allocations == sum.allocations);
    CHECK(pool.use().driver_allocations == static_cast<std::uint64_t>(device.allocations));
    for (const Held& last : held) {
        pool.give(last.kind, *last.block);
        pool.uncount_buffer(last.kind, last.bytes);
    }
    CHECK(pool.use().used == 0);
    CHECK(pool.use().used_peak == sum.used);
    pool.trim(0);
    CHECK(pool.use().reserved == 0);
    CHECK(pool.use().reserved_peak == sum.reserved);
    CHECK(pool.use(MemoryKind::host).used_peak == 100 * kib + 23 * mib);
}

} // namespace pool_test
