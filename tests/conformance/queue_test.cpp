// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "check/checker.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Code;

namespace {

/// The order of two launches.
std::atomic<std::uint32_t> turns{0};
std::array<std::atomic<std::uint32_t>, 2> turn_of{};

void take_turn(const ferry::HostGroup&, std::uint32_t which) {
    turn_of.at(which) = turns++;
}

} // namespace

FERRY_TEST("queue: Device::finish() waits for all queues of the device and throws the first error") {
    constexpr std::size_t count = 5;
    std::vector<ferry::Queue> queues;
    std::vector<ferry::Buffer<std::uint32_t>> buffers;
    std::atomic<std::size_t> called{0};
    for (std::size_t i = 0; i < count; ++i) {
        queues.emplace_back(device);
        buffers.emplace_back(device, 64 * 64);
        queues[i].launch(kernel(device, "spin"), {64, 64}, buffers[i], 3000U);
        queues[i].on_complete([&](const ferry::EventStatus&) { ++called; });
    }
    device.finish();
    CHECK(called == count);
    for (ferry::Queue& queue : queues) {
        CHECK(queue.idle());
        queue.on_complete([](const ferry::EventStatus&) { throw std::runtime_error("thrown on purpose"); });
    }
    std::size_t errors = 0;
    for (std::size_t i = 0; i < count; ++i) { // one queue of each call; the other queues stay
        errors += error_of([&] { device.finish(); }).has_value() ? 1 : 0;
    }
    CHECK(errors == count);
    device.finish();
}

FERRY_TEST("queue: it is idle after finish, and when made") {
    ferry::Queue queue{device};
    CHECK(queue.idle());
    CHECK(queue.device() == device);
    ferry::Buffer<std::uint32_t> buffer{device, 640};
    queue.launch(kernel(device, "spin"), {10, 64}, buffer, 1000U);
    queue.finish();
    CHECK(queue.idle());
    queue.finish();
}

FERRY_TEST("queue: polling idle makes progress") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 640};
    queue.launch(kernel(device, "spin"), {10, 64}, buffer, 1000U);
    while (!queue.idle()) {
        std::this_thread::yield();
    }
    const auto seen = queue.read(buffer);
    CHECK(seen.at(77) == spin_result(77, 1000));
}

FERRY_TEST("queue: after flush the work is done without anybody waiting through Ferry") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64};
    queue.launch(kernel(device, "spin"), {1, 64}, buffer, 10U);
    queue.flush();
    queue.flush();
    const ferry::Event event = queue.record();
    queue.flush();
    event.wait();
}

FERRY_TEST("queue: several queues, each right") {
    std::vector<ferry::Queue> queues;
    std::vector<ferry::Buffer<std::uint32_t>> buffers;
    std::vector<std::vector<std::uint32_t>> models;
    const ferry::Kernel stir = kernel(device, "stir");
    for (int i = 0; i < 8; ++i) {
        queues.emplace_back(device);
        models.push_back(random_values<std::uint32_t>(1000 + random_below(2000)));
        buffers.emplace_back(device, models.back().size());
        queues.back().copy(models.back(), buffers.back());
    }
    for (auto& queue : queues) {
        queue.finish(); // the models were sources, and change now
    }
    for (std::uint32_t round = 0; round < 20; ++round) {
        for (std::size_t q = 0; q < queues.size(); ++q) {
            const auto count = static_cast<std::uint32_t>(models[q].size());
            queues[q].launch(stir, ferry::Grid::covering(count, 33), buffers[q], count, round);
            for (std::uint32_t i = 0; i < count; ++i) {
                models[q][i] = stir_result(models[q][i], i, round);
            }
        }
    }
    for (std::size_t q = 0; q < queues.size(); ++q) {
        check_same(queues[q].read(buffers[q]), models[q]);
    }
}

FERRY_TEST("queue: moved, the work continues") {
    ferry::Queue first{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64};
    first.launch(kernel(device, "spin"), {1, 64}, buffer, 1000U);
    ferry::Queue second = std::move(first);
    std::vector<std::uint32_t> wanted(64);
    for (std::uint32_t i = 0; i < 64; ++i) {
        wanted[i] = spin_result(i, 1000);
    }
    check_same(second.read(buffer), wanted);
    ferry::Queue third{device};
    third = std::move(second);
    check_same(third.read(buffer), wanted);
}

FERRY_TEST("queue: destroying it waits for its work") {
    std::vector<std::uint32_t> seen = poison<std::uint32_t>(6400);
    ferry::Buffer<std::uint32_t> buffer{device, seen.size()};
    {
        ferry::Queue queue{device};
        queue.launch(kernel(device, "spin"), {100, 64}, buffer, 2000U);
        queue.copy(buffer, seen);
    }
    CHECK(seen.at(0) == spin_result(0, 2000));
    CHECK(seen.at(6399) == spin_result(6399, 2000));
}

FERRY_TEST("queue: many can be made and destroyed") {
    ferry::Buffer<std::uint32_t> buffer{device, 100};
    for (std::uint32_t i = 0; i < 100; ++i) {
        ferry::Queue queue{device};
        queue.fill(buffer, i);
        if (i % 10 == 9) {
            check_same(queue.read(buffer), std::vector<std::uint32_t>(100, i));
        }
    }
}

FERRY_TEST("queue: thousands of commands before the first wait") {
    ferry::Queue queue{device};
    const ferry::Kernel add = kernel(device, "add");
    ferry::Buffer<std::uint32_t> buffer{device, 64};
    queue.fill(buffer, 5U);
    for (std::uint32_t i = 0; i < 4000; ++i) {
        queue.launch(add, {1, 64}, buffer, 64U, i);
    }
    check_same(queue.read(buffer), std::vector<std::uint32_t>(64, 5U + 3999U * 4000U / 2));
}

FERRY_PAIR_TEST("queue: a fill or copy that has no end on its device is refused, naming the devices") {
    ferry::Queue queue{from};
    ferry::Buffer<std::uint32_t> a{to, 10};
    ferry::Buffer<std::uint32_t> b{to, 10};
    std::vector<std::uint32_t> host(10);
    expect_error(Code::invalid_argument, {from.id(), to.id()}, [&] { queue.copy(a, b); });
    expect_error(Code::invalid_argument, {from.id(), to.id()}, [&] { queue.copy(host, a); });
    expect_error(Code::invalid_argument, {from.id(), to.id()}, [&] { queue.copy(a, host); });
    expect_error(Code::invalid_argument, {from.id(), to.id()}, [&] { queue.fill(a, 1U); });
    check_still_works(from);
    check_still_works(to);
}

FERRY_TEST("queue: the double's refused ones leave nothing in the race check") {
    inject(device, "");
    using ferry::detail::race::Checker;
    const auto next_actor = [&] {
        const auto actor = Checker::get().add_queue(device.id());
        Checker::get().remove_queue(actor);
        return actor;
    };
    const auto before = next_actor();
    ferry::configure({.check = "races"});
    for (int i = 0; i < 5; ++i) {
        inject(device, "hipStreamCreateWithFlags:2");
        expect_error(Code::out_of_memory, {vendor_name(device, "hipStreamCreateWithFlags")},
                     [&] { const ferry::Queue queue(device); });
    }
    inject(device, "");
    ferry::configure({});
    CHECK(next_actor() == before);
}

FERRY_TEST(
    "queue: the strict device runs independent queues in either order, and ordered ones in their order") {
    if (!matches(device, ", strict")) {
        return; // other devices may run them concurrently, but need not
    }
    static constexpr ferry::HostKernel functions[] = {ferry::host_kernel<take_turn>("take_turn")};
    const ferry::Kernel kernel = ferry::Program{device, ferry::Source::host(functions)}.kernel("take_turn");
    ferry::Queue first{device};
    ferry::Queue second{device};
    const auto is_first_first = [&](auto&& between, ferry::Queue& other) {
        first.launch(kernel, {1, 1}, 0U);
        between();
        other.launch(kernel, {1, 1}, 1U);
        first.finish();
        other.finish();
        return turn_of[0] < turn_of[1];
    };
    int kept = 0;
    int overtaken = 0;
    for (int round = 0; round < 2000 && (kept < 3 || overtaken < 3); ++round) {
        ++(is_first_first([] {}, second) ? kept : overtaken);
    }
    CHECK(kept >= 3);
    CHECK(overtaken >= 3);
    for (int round = 0; round < 200; ++round) {
        REQUIRE(is_first_first([] {}, first));
        REQUIRE(is_first_first([&] { second.wait(first.record()); }, second));
    }
}
