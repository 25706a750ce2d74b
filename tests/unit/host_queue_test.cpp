// SPDX-License-Identifier: Apache-2.0
#include "host_backend_fixture.hpp"
#include "system/pages.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace host_queue_test {

using namespace host_test;
using ferry::HostGroup;

namespace {

void append(const HostGroup&, std::uint32_t* list, std::uint32_t value) {
    list[++list[0]] = value;
}
void increment(const HostGroup&, std::uint64_t* number) {
    ++*number;
}
void fail(const HostGroup&) {
    throw std::runtime_error("on purpose");
}

const OneKernel& appends() {
    static const OneKernel kernel{ferry::host_kernel<append>("append")};
    return kernel;
}
const OneKernel& increments() {
    static const OneKernel kernel{ferry::host_kernel<increment>("increment")};
    return kernel;
}
const OneKernel& fails() {
    static const OneKernel kernel{ferry::host_kernel<fail>("fail")};
    return kernel;
}

void launch_fail(ferry::backend::Queue& q) {
    q.launch(*fails(), {1, 1}, {});
}
void launch_increment(ferry::backend::Queue& q, ferry::backend::Memory& number) {
    q.launch(*increments(), {1, 1}, std::array{buffer(&number)});
}
std::uint64_t number_in(const ferry::backend::Memory& memory) {
    std::uint64_t value = 0;
    std::memcpy(&value, memory.host, sizeof(value));
    return value;
}

} // namespace

TEST_CASE("host: commands of a queue run in order, values are captured, the ring goes around") {
    constexpr std::uint32_t count = 20000;
    constexpr std::size_t bytes = (std::size_t{count} + 1) * 4;
    const auto list = memory(bytes);
    const auto q = queue();
    const std::uint32_t zero = 0;
    q->fill({list.get(), 0}, bytes, &zero, 4);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t v = i;
        q->launch(*appends(), {1, 1}, std::array{buffer(list.get()), value(v)});
        v = ~v;
    }
    q->finish();
    const auto* got = static_cast<const std::uint32_t*>(list->host);
    REQUIRE(got[0] == count);
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        wrong += got[i + 1] != i;
    }
    CHECK(wrong == 0);
}

TEST_CASE("host: copies and fills of every size and offset") {
    const auto q = queue();
    for (const std::size_t bytes : {1UL, 63UL, 4097UL, 262144UL, 262145UL, 5000011UL}) {
        CAPTURE(bytes);
        std::vector<std::uint8_t> in(bytes);
        std::vector<std::uint8_t> out(bytes, 0xcd);
        std::iota(in.begin(), in.end(), std::uint8_t{7});
        const auto a = memory(bytes + 5);
        const auto b = memory(bytes + 9);
        q->write(in.data(), {a.get(), 5}, bytes);
        q->copy({a.get(), 5}, {b.get(), 9}, bytes);
        q->read({b.get(), 9}, out.data(), bytes);
        q->finish();
        CHECK(in == out);
    }
    std::array<std::uint8_t, 16> pattern{};
    std::iota(pattern.begin(), pattern.end(), std::uint8_t{1});
    for (const std::size_t size : {1UL, 2UL, 4UL, 8UL, 16UL}) {
        for (const std::size_t count : {1UL, 3UL, 1000UL, 300007UL}) {
            CAPTURE(size);
            CAPTURE(count);
            const auto m = memory((count + 2) * size);
            std::memset(m->host, 0xee, (count + 2) * size);
            q->fill({m.get(), size}, count * size, pattern.data(), size);
            q->finish();
            const auto* got = static_cast<const std::uint8_t*>(m->host);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < (count + 2) * size; ++i) {
                const bool inside = i >= size && i < (count + 1) * size;
                wrong += got[i] != (inside ? pattern[i % size] : 0xee);
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("host: a failed kernel reaches finish() once and commands up to it are skipped") {
    const auto q = queue();
    const auto n = memory(8);
    std::memset(n->host, 0, 8);
    launch_increment(*q, *n);
    launch_fail(*q);
    launch_increment(*q, *n);
    const auto e = event();
    q->record(*e);
    try {
        q->finish();
        FAIL("finish() did not throw");
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::command_failed);
        CHECK(std::string(error.what()).find("on purpose") != std::string::npos);
    }
    CHECK_THROWS_AS(e->wait(), ferry::Error);
    CHECK_THROWS_AS(static_cast<void>(e->ready()), ferry::Error);
    CHECK(number_in(*n) == 1);
    q->finish();
    launch_increment(*q, *n);
    q->record(*e);
    e->wait();
    CHECK(q->idle());
    CHECK(number_in(*n) == 2);
}

namespace {

struct Skipped {
    bool done = false;         ///< the command after the first finish() ran anyway
    bool first_failed = false; ///< the first finish(), which may begin before or after that command
    bool second_failed = false;
};

bool finish_fails(ferry::backend::Queue& queue) {
    try {
        queue.finish();
        return false;
    } catch (const ferry::Error&) {
        return true;
    }
}

Skipped enqueue_behind_a_finish() {
    const auto q = queue();
    const auto n = memory(8);
    std::memset(n->host, 0, 8);
    Gate before;
    before.hold(*q);
    launch_fail(*q);
    Skipped result;
    before.wait_until_reached();
    std::thread finisher([&] { result.first_failed = finish_fails(*q); });
    // it probably waits for the place after fail() then
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    launch_increment(*q, *n);
    before.let_go();
    finisher.join();
    result.second_failed = finish_fails(*q);
    result.done = number_in(*n) == 1;
    q->finish();
    return result;
}

} // namespace

TEST_CASE("host: commands skipped after a finish() fail the next one") {
    bool seen = false;
    for (int round = 0; round < 200 && !seen; ++round) {
        const Skipped result = enqueue_behind_a_finish();
        CHECK(result.first_failed);
        CHECK_FALSE((result.done && result.second_failed));
        // Either the command was skipped and the first finish() did not wait for it, or it waited and
        // reported the error.
        seen = result.done || result.second_failed;
    }
    CHECK(seen);
}

TEST_CASE("host: memory may be destroyed while commands use it") {
    const auto q = queue();
    std::vector<std::uint8_t> out(100000);
    Gate gate;
    gate.hold(*q);
    auto m = memory(out.size());
    const std::uint8_t seven = 7;
    q->fill({m.get(), 0}, out.size(), &seven, 1);
    q->read({m.get(), 0}, out.data(), out.size());
    m.reset();
    gate.let_go();
    q->finish();
    CHECK(out == std::vector<std::uint8_t>(out.size(), 7));
}

TEST_CASE("host: finish() from other threads, several queues") {
    constexpr std::uint64_t rounds = 2000;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&wrong] {
            const auto q = queue();
            const auto n = memory(8);
            std::memset(n->host, 0, 8);
            std::atomic<bool> over{false};
            std::thread other([&] {
                while (!over) {
                    q->finish();
                    static_cast<void>(q->idle());
                }
            });
            for (std::uint64_t i = 0; i < rounds; ++i) {
                launch_increment(*q, *n);
            }
            q->finish();
            wrong += number_in(*n) != rounds;
            over = true;
            other.join();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
}

TEST_CASE("host: an allocation that does not fit is refused and the next one works") {
    const auto total = device().info().total_memory;
    try {
        static_cast<void>(memory(total + 1));
        FAIL("it was not refused");
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::out_of_memory);
        CHECK(std::string(error.what()).find(std::to_string(total + 1)) != std::string::npos);
    }
    CHECK_THROWS_AS(static_cast<void>(memory(total / 10 * 11)), ferry::Error);
    CHECK(device().free_memory().value() <= total);
    const auto m = memory(std::size_t{2} << 20);
    CHECK(m->address % ferry::detail::page_size() == 0);
    CHECK(memory(3)->address % 64 == 0);
}

} // namespace host_queue_test
