// SPDX-License-Identifier: Apache-2.0
// Work between two devices, usually of different backends, done by the library's own threads.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace host_work_test {

using namespace conformance;
using ferry::Code;

namespace {

constexpr std::uint32_t size = 20'011;

void stir_on(ferry::Queue& queue, ferry::Buffer<std::uint32_t>& buffer, std::uint32_t salt) {
    const auto count = static_cast<std::uint32_t>(buffer.size());
    queue.launch(kernel(queue.device(), "stir"), ferry::Grid::covering(count, 64), buffer, count, salt);
}

void fails(const ferry::HostGroup&) {
    throw std::runtime_error("failed over there");
}

void stir_model(std::vector<std::uint32_t>& model, std::uint32_t salt) {
    for (std::uint32_t i = 0; i < model.size(); ++i) {
        model[i] = stir_result(model[i], i, salt);
    }
}

} // namespace

FERRY_PAIR_TEST("host work: copies between devices, from the queue of either end") {
    ferry::Queue queue_from{from};
    ferry::Queue queue_to{to};
    for (const std::size_t count : odd_sizes) {
        const auto data = random_values<std::uint32_t>(count);
        ferry::Buffer<std::uint32_t> a{from, count};
        ferry::Buffer<std::uint32_t> b{to, count};
        ferry::Buffer<std::uint32_t> c{to, count};
        queue_from.copy_and_wait(data, a);
        queue_to.fill(b, 0U);
        queue_to.fill(c, 0U);
        queue_to.finish();
        queue_from.copy_and_wait(a, b);
        check_same(queue_to.read(b), data);
        queue_to.copy(a, c);
        check_same(queue_to.read(c), data);
    }
}

FERRY_PAIR_TEST("host work: parts are copied to the right places only") {
    ferry::Queue queue{from};
    ferry::Queue other{to};
    const auto data = random_values<std::uint8_t>(5003);
    auto wanted = random_values<std::uint8_t>(5003);
    ferry::Buffer<std::uint8_t> a{from, data.size()};
    ferry::Buffer<std::uint8_t> b{to, data.size()};
    queue.copy_and_wait(data, a);
    other.copy_and_wait(wanted, b);
    for (int round = 0; round < 15; ++round) {
        const std::size_t count = 1 + random_below(data.size());
        const std::size_t source = random_below(data.size() - count + 1);
        const std::size_t target = random_below(data.size() - count + 1);
        queue.copy_and_wait(a.subview(source, count), b.subview(target, count));
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(source), count,
                    wanted.begin() + static_cast<std::ptrdiff_t>(target));
        check_same(other.read(b), wanted);
    }
}

FERRY_PAIR_TEST("host work: commands after a copy between devices keep their order") {
    ferry::Queue queue{from};
    ferry::Buffer<std::uint32_t> here{from, size};
    ferry::Buffer<std::uint32_t> there{to, size};
    auto model = random_values<std::uint32_t>(size);
    queue.copy(model, here);
    queue.finish();
    for (std::uint32_t round = 0; round < 10; ++round) {
        stir_on(queue, here, round);
        queue.copy(here, there);
        queue.fill(here, 0U); // must not run before the copy down
        queue.copy(there, here);
        stir_model(model, round);
    }
    check_same(queue.read(here), model);
}

FERRY_PAIR_TEST("host work: a queue waits for an event of another device") {
    ferry::Queue producer{from};
    ferry::Queue consumer{to};
    ferry::Buffer<std::uint32_t> source{from, size};
    ferry::Buffer<std::uint32_t> target{to, size};
    auto model = random_values<std::uint32_t>(size);
    producer.copy_and_wait(model, source);
    for (std::uint32_t round = 0; round < 8; ++round) {
        stir_on(producer, source, round);
        stir_model(model, round);
        consumer.wait(producer.record());
        consumer.copy(source, target);
        stir_on(consumer, target, round + 100);
        stir_model(model, round + 100);
        producer.wait(consumer.record());
        producer.copy(target, source);
        consumer.wait(producer.record());
    }
    check_same(consumer.read(target), model);
    check_same(producer.read(source), model);
}

FERRY_PAIR_TEST("host work: enqueueing after a wait does not block the caller") {
    ferry::Queue gate{from};
    ferry::Queue queue{to};
    ferry::Buffer<std::uint32_t> buffer{to, 64};
    std::atomic<bool> open{false};
    gate.on_complete([&](const ferry::Status&) {
        while (!open) {
            std::this_thread::yield();
        }
        ferry::Buffer<std::uint32_t> scratch{gate.device(), 64};
        gate.fill(scratch, 1U);
    });
    ferry::Buffer<std::uint32_t> slow{from, 64 * 50};
    gate.launch(kernel(from, "spin"), {50, 64}, slow, 5000U);
    queue.wait(gate.record());
    for (std::uint32_t i = 0; i < 50; ++i) {
        queue.fill(buffer, i);
    }
    const ferry::Event last = queue.record();
    queue.flush();
    open = true;
    last.wait();
    check_same(queue.read(buffer), std::vector<std::uint32_t>(64, 49));
    gate.finish();
}

FERRY_PAIR_TEST("host work: later callbacks and events come after it") {
    ferry::Queue queue{from};
    ferry::Queue other{to};
    ferry::Buffer<std::uint32_t> here{from, size};
    ferry::Buffer<std::uint32_t> there{to, size};
    const auto data = random_values<std::uint32_t>(size);
    queue.copy(data, here);
    queue.copy(here, there);
    const ferry::Event event = queue.record();
    std::vector<std::uint32_t> seen;
    queue.on_complete([&](const ferry::Status&) { seen = other.read(there); });
    event.wait();
    check_same(other.read(there), data);
    queue.finish();
    check_same(seen, data);
}

FERRY_PAIR_TEST("host work: a callback may enqueue on the other device") {
    ferry::Queue queue{from};
    ferry::Queue other{to};
    ferry::Buffer<std::uint32_t> here{from, 100};
    ferry::Buffer<std::uint32_t> there{to, 100};
    queue.fill(here, 3U);
    queue.on_complete([&](const ferry::Status&) {
        other.copy(here, there);
        other.launch(kernel(to, "add"), {1, 100}, there, 100U, 4U);
    });
    queue.finish();
    check_same(other.read(there), std::vector<std::uint32_t>(100, 7U));
}

FERRY_PAIR_TEST("host work: many queues of both devices in a ring") {
    std::vector<ferry::Queue> queues;
    std::vector<ferry::Buffer<std::uint32_t>> buffers;
    for (int i = 0; i < 6; ++i) {
        const ferry::Device& device = i % 2 == 0 ? from : to;
        queues.emplace_back(device);
        buffers.emplace_back(device, size);
    }
    auto model = random_values<std::uint32_t>(size);
    queues[0].copy_and_wait(model, buffers[0]);
    for (std::uint32_t step = 0; step < 24; ++step) {
        const std::size_t a = step % 6;
        const std::size_t b = (step + 1) % 6;
        stir_on(queues[a], buffers[a], step);
        stir_model(model, step);
        queues[b].wait(queues[a].record());
        queues[b].copy(buffers[a], buffers[b]);
        queues[a].wait(queues[b].record());
    }
    check_same(queues[0].read(buffers[0]), model);
}

FERRY_PAIR_TEST("host work: buffers and queues may go while it is pending") {
    ferry::Queue result_queue{to};
    ferry::Buffer<std::uint32_t> result{to, size};
    const auto data = random_values<std::uint32_t>(size);
    for (int round = 0; round < 5; ++round) {
        ferry::Event done;
        {
            ferry::Queue queue{from};
            ferry::Buffer<std::uint32_t> source{from, size};
            queue.copy(data, source);
            queue.copy(source, result);
            done = queue.record();
        }
        result_queue.wait(done);
        check_same(result_queue.read(result), data);
    }
}

FERRY_PAIR_TEST("host work: different sizes between devices are refused and nothing changes") {
    ferry::Queue queue{from};
    ferry::Queue other{to};
    ferry::Buffer<std::uint32_t> a{from, 10};
    ferry::Buffer<std::uint32_t> b{to, 11};
    other.fill(b, 6U);
    expect_error(Code::invalid_argument, {"10", "11"}, [&] { queue.copy(a, b); });
    check_same(other.read(b), std::vector<std::uint32_t>(11, 6U));
    queue.copy(a.first(0), b.first(0));
    queue.finish();
}

FERRY_PAIR_TEST("host work: a failure before an event reaches the queue that waits on another device") {
    if (from.backend() != ferry::Backend::host) {
        return; // only the host's kernels can be made to fail everywhere
    }
    static constexpr ferry::HostKernel kernels[] = {ferry::host_kernel<fails>("fails")};
    ferry::Queue producer{from};
    ferry::Queue consumer{to};
    ferry::Buffer<std::uint32_t> buffer{to, 10};
    producer.launch(ferry::Program{from, ferry::Source::host(kernels)}.kernel("fails"), {1, 1});
    consumer.wait(producer.record());
    consumer.fill(buffer, 1U);
    expect_error_anywhere(Code::command_failed, {"fails", "failed over there"}, [&] { consumer.finish(); });
    expect_error_anywhere(Code::command_failed, {"fails"}, [&] { producer.finish(); });
    consumer.fill(buffer, 2U);
    check_same(consumer.read(buffer), std::vector<std::uint32_t>(10, 2U));
    check_still_works(from);
    check_still_works(to);
}

} // namespace host_work_test
