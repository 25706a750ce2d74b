// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace event_test {

using namespace conformance;
using ferry::Code;

namespace {

constexpr std::size_t size = 30'011;

/// Enqueues a slow command that ends with `buffer[i] == spin_result(i, rounds)`.
void slow(ferry::Queue& queue, ferry::Buffer<std::uint32_t>& buffer, std::uint32_t rounds) {
    queue.launch(kernel(queue.device(), "spin"), {buffer.size() / 64, 64}, buffer, rounds);
}

std::vector<std::uint32_t> slow_result(std::size_t count, std::uint32_t rounds) {
    std::vector<std::uint32_t> result(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        result[i] = spin_result(i, rounds);
    }
    return result;
}

} // namespace

TEST_CASE("event: a default-made event is complete") {
    const ferry::Event event;
    CHECK(event.ready());
    CHECK(event.status().ok());
    event.wait();
    const ferry::Event copy = event; // NOLINT(performance-unnecessary-copy-initialization)
    CHECK(copy.ready());
}

FERRY_TEST("event: waiting for it waits for the commands before it") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64 * 100};
    std::vector<std::uint32_t> seen = poison<std::uint32_t>(buffer.size());
    slow(queue, buffer, 2000);
    queue.copy(buffer, seen);
    const ferry::Event event = queue.record();
    event.wait();
    check_same(seen, slow_result(buffer.size(), 2000));
    CHECK(event.ready());
    CHECK(event.status().ok());
}

FERRY_TEST("event: polling alone makes progress") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64 * 50};
    std::vector<std::uint32_t> seen(buffer.size());
    slow(queue, buffer, 500);
    queue.copy(buffer, seen);
    const ferry::Event event = queue.record();
    while (!event.ready()) {
        std::this_thread::yield();
    }
    check_same(seen, slow_result(buffer.size(), 500));
}

FERRY_TEST("event: another queue waits for it") {
    ferry::Queue producer{device};
    ferry::Queue consumer{device};
    const ferry::Kernel stir = kernel(device, "stir");
    auto model = random_values<std::uint32_t>(size);
    ferry::Buffer<std::uint32_t> buffer{device, size};
    producer.copy_and_wait(model, buffer); // blocks, because the model changes below
    for (std::uint32_t round = 0; round < 30; ++round) {
        ferry::Queue& first = round % 2 == 0 ? producer : consumer;
        ferry::Queue& second = round % 2 == 0 ? consumer : producer;
        first.launch(stir, ferry::Grid::covering(size, 64), buffer, static_cast<std::uint32_t>(size), round);
        second.wait(first.record());
        for (std::uint32_t i = 0; i < size; ++i) {
            model[i] = stir_result(model[i], i, round);
        }
    }
    check_same(producer.read(buffer), model); // the producer made the last wait
}

FERRY_TEST("event: many queues wait for one event, one queue waits for many") {
    ferry::Queue source{device};
    ferry::Buffer<std::uint32_t> data{device, 64 * 20};
    slow(source, data, 3000);
    const ferry::Event made = source.record();
    std::vector<ferry::Queue> queues;
    std::vector<ferry::Buffer<std::uint32_t>> results;
    ferry::Queue last{device};
    for (int i = 0; i < 6; ++i) {
        queues.emplace_back(device);
        results.emplace_back(device, data.size());
        queues.back().wait(made);
        queues.back().copy(data, results.back());
        last.wait(queues.back().record());
    }
    for (auto& result : results) {
        ferry::Buffer<std::uint32_t> copy{device, data.size()};
        last.copy(result, copy);
        check_same(last.read(copy), slow_result(data.size(), 3000));
    }
}

FERRY_TEST("event: it outlives its queue and its buffers") {
    ferry::Event event;
    {
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> buffer{device, 64};
        slow(queue, buffer, 100);
        event = queue.record();
    }
    CHECK(event.ready());
    event.wait();
    ferry::Queue other{device};
    other.wait(event);
    other.finish();
}

FERRY_TEST("event: recorded on an empty queue it completes") {
    ferry::Queue queue{device};
    const ferry::Event first = queue.record();
    const ferry::Event second = queue.record();
    second.wait();
    CHECK(first.ready());
    queue.wait(first);
    queue.wait(queue.record());
    queue.finish();
}

FERRY_TEST("event: thousands of them") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 16};
    std::vector<ferry::Event> events;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        queue.fill(buffer, i);
        events.push_back(queue.record());
    }
    events.back().wait();
    for (const ferry::Event& event : events) {
        REQUIRE(event.ready());
    }
    check_same(queue.read(buffer), std::vector<std::uint32_t>(16, 1999));
}

FERRY_TEST("event: elapsed time is available exactly if the device has a clock") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64 * 200};
    slow(queue, buffer, 10); // excludes the extra time of a first launch
    const ferry::Event start = queue.record();
    slow(queue, buffer, 3000);
    const ferry::Event middle = queue.record();
    slow(queue, buffer, 3000);
    const ferry::Event end = queue.record();
    const auto first = ferry::elapsed(start, middle);
    const auto all = ferry::elapsed(start, end);
    REQUIRE(first.has_value() == device.info().timing);
    REQUIRE(all.has_value() == device.info().timing);
    if (all) {
        CHECK(first->count() >= 0);
        CHECK(*all >= *first);
        CHECK(all->count() > 0);
        CHECK(*all < std::chrono::minutes(10));
    }
}

FERRY_TEST("event: no elapsed time from a queue made without timing") {
    ferry::Queue queue{device, {.timing = false}};
    ferry::Buffer<std::uint32_t> buffer{device, 64};
    const ferry::Event start = queue.record();
    slow(queue, buffer, 10);
    CHECK_FALSE(ferry::elapsed(start, queue.record()).has_value());
}

FERRY_TEST("event: elapsed time from an event that was never recorded is refused") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const ferry::Event event = queue.record();
    expect_error(Code::invalid_argument, {"record"}, [&] { (void)ferry::elapsed(ferry::Event{}, event); });
    expect_error(Code::invalid_argument, {"record"}, [&] { (void)ferry::elapsed(event, ferry::Event{}); });
}

FERRY_PAIR_TEST("event: elapsed time between devices is refused, naming both") {
    ferry::Queue first{from};
    ferry::Queue second{to};
    const ferry::Event a = first.record();
    const ferry::Event b = second.record();
    expect_error(Code::invalid_argument, {from.id(), to.id()}, [&] { (void)ferry::elapsed(a, b); });
    check_still_works(from);
    check_still_works(to);
}

} // namespace event_test
