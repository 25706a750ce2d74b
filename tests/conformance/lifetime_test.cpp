// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Code;

namespace {

/// One object of each kind, with work in flight.
struct Everything {
    std::optional<ferry::Queue> queue;
    std::optional<ferry::Queue> second;
    std::optional<ferry::Program> program;
    std::optional<ferry::Kernel> kernel;
    std::optional<ferry::Buffer<std::uint32_t>> data;
    std::optional<ferry::Buffer<std::uint32_t>> mapped;
    std::optional<ferry::Mapping<std::uint32_t>> mapping;
    std::optional<ferry::Event> event;

    explicit Everything(const ferry::Device& device) {
        queue.emplace(device);
        second.emplace(device);
        program = conformance::program(device);
        kernel = program->kernel("spin");
        data.emplace(device, 64 * 20);
        mapped.emplace(device, 100);
        mapping = mapped->map(*second, ferry::Map::discard);
        std::fill(mapping->begin(), mapping->end(), 5U);
        queue->launch(*kernel, {20, 64}, *data, 3000U);
        event = queue->record();
        second->wait(*event);
        queue->on_complete([](const ferry::Status&) {});
    }
    std::array<std::function<void()>, 8> destroyers() {
        return {[this] { queue.reset(); },   [this] { second.reset(); }, [this] { program.reset(); },
                [this] { kernel.reset(); },  [this] { data.reset(); },   [this] { mapped.reset(); },
                [this] { mapping.reset(); }, [this] { event.reset(); }};
    }
};

} // namespace

FERRY_TEST("lifetime: any order of destruction, with work in flight") {
    const Unchanged unchanged{device};
    for (int round = 0; round < 40; ++round) {
        Everything all{device};
        auto destroyers = all.destroyers();
        std::array<std::size_t, 8> order{};
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random_engine());
        std::string text;
        for (const std::size_t i : order) {
            text += " " + std::to_string(i);
        }
        INFO("order", text);
        for (const std::size_t i : order) {
            destroyers[i]();
        }
    }
}

FERRY_TEST("lifetime: a moved-from queue refuses every call") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 10};
    std::vector<std::uint32_t> host(10);
    const ferry::Event event = queue.record();
    const ferry::Queue other = std::move(queue);
    // NOLINTBEGIN(bugprone-use-after-move): that is the behaviour under test
    const auto refused = [](const std::function<void()>& call,
                            ferry::SourceLocation here = ferry::SourceLocation::current()) {
        expect_error(Code::invalid_state, {"moved"}, call, here);
    };
    refused([&] { queue.copy(host, data); });
    refused([&] { queue.copy(data, host); });
    refused([&] { queue.copy(data.first(5), data.last(5)); });
    refused([&] { queue.fill(data, 1U); });
    refused([&] { queue.launch(kernel(device, "noop"), {1, 1}); });
    refused([&] { (void)queue.record(); });
    refused([&] { queue.wait(event); });
    refused([&] { queue.on_complete([](const ferry::Status&) {}); });
    refused([&] { queue.finish(); });
    refused([&] { queue.flush(); });
    refused([&] { (void)queue.idle(); });
    refused([&] { (void)queue.device(); });
    refused([&] { (void)data.map(queue, ferry::Map::read); });
    // NOLINTEND(bugprone-use-after-move)
}

FERRY_TEST("lifetime: moved-from kernels and programs refuse, moved-from buffers are empty and refuse") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Program program = conformance::program(device);
    ferry::Kernel moved = program.kernel("noop");
    const ferry::Kernel kernel = std::move(moved);
    const ferry::Program other = std::move(program);
    // NOLINTBEGIN(bugprone-use-after-move): that is the behaviour under test
    expect_error(Code::invalid_state, {"kernel"}, [&] { queue.launch(moved, {1, 1}); });
    expect_error(Code::invalid_state, {"kernel"}, [&] { (void)moved.info(); });
    expect_error(Code::invalid_state, {"program"}, [&] { (void)program.kernel("noop"); });
    queue.launch(kernel, {1, 1});
    ferry::Buffer<std::uint32_t> data{device, 10};
    const ferry::Buffer<std::uint32_t> taken = std::move(data);
    CHECK(data.empty());
    expect_error(Code::invalid_state, {"empty"}, [&] { (void)data.device(); });
    expect_error(Code::invalid_state, {"buffer to fill", "moved from"}, [&] { queue.fill(data, 1U); });
    expect_error(Code::out_of_range, {"0", "1"}, [&] { (void)data.first(1); });
    ferry::Event event = queue.record();
    const ferry::Event kept = std::move(event);
    CHECK(event.ready());
    // NOLINTEND(bugprone-use-after-move)
    queue.finish();
}

FERRY_TEST("lifetime: moving an object to itself leaves it as it was") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 10};
    queue.fill(data, 4U);
    ferry::Queue& same_queue = queue;
    queue = std::move(same_queue);
    ferry::Event event = queue.record();
    ferry::Event& same_event = event;
    event = same_event;
    event.wait();
    check_same(queue.read(data), std::vector<std::uint32_t>(10, 4U));
}

FERRY_TEST("lifetime: an object may be destroyed on another thread than it was made") {
    const Unchanged unchanged{device};
    for (int round = 0; round < 5; ++round) {
        auto all = std::make_unique<Everything>(device);
        std::thread([&] { all.reset(); }).join();
    }
}

FERRY_TEST("lifetime: in a callback, the last owner of its own queue") {
    const Unchanged unchanged{device};
    auto queue = std::make_shared<ferry::Queue>(device);
    std::atomic<bool> done{false};
    std::thread watcher([&done, owner = queue]() mutable {
        ferry::Queue& raw = *owner;
        raw.on_complete([&done, kept = std::move(owner)](const ferry::Status&) mutable {
            kept.reset();
            done = true;
        });
    });
    watcher.join();
    queue.reset();
    while (!done) {
        std::this_thread::yield();
    }
}

// Tests of the process's end. Each body starts work and ends the process in a different way.
namespace {

/// Static objects are destroyed after main() has returned.
struct Statics {
    std::optional<ferry::Queue> queue;
    std::optional<ferry::Buffer<std::uint32_t>> data;
    std::optional<ferry::Program> program;
    std::optional<ferry::Mapping<std::uint32_t>> mapping;
    std::optional<ferry::Event> event;
};
Statics statics;

constexpr std::uint32_t spin_rounds = 200;

/// The number of launches that take about a fifth of a second on the device.
std::ptrdiff_t measured_launches(ferry::Queue& queue, const std::function<void()>& launch) {
    using Clock = std::chrono::steady_clock;
    launch();
    queue.finish(); // some drivers compile the kernel only now
    const auto begin = Clock::now();
    launch();
    queue.finish();
    const auto one = std::max<Clock::duration>(Clock::now() - begin, std::chrono::microseconds(20));
    return std::clamp<std::ptrdiff_t>(std::chrono::milliseconds(200) / one, 4, 2000);
}

/// Starts work that is still in flight when the process ends. It is short, because each child must wait for
/// it.
void start_work(const ferry::Device& device) {
    statics.queue.emplace(device);
    statics.data.emplace(device, 64 * 1000);
    statics.program = program(device);
    const ferry::Kernel spin = statics.program->kernel("spin");
    const auto launch = [&] { statics.queue->launch(spin, {1000, 64}, *statics.data, spin_rounds); };
    const std::ptrdiff_t count = measured_launches(*statics.queue, launch);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        launch();
    }
    statics.event = statics.queue->record();
    statics.queue->on_complete([](const ferry::Status&) {});
    statics.queue->flush();
}

int return_with_work(const ferry::Device& device) {
    start_work(device);
    return 11;
}
int exit_with_work(const ferry::Device& device) {
    start_work(device);
    const ferry::Queue local{device}; // never destroyed
    std::exit(12);                    // NOLINT(concurrency-mt-unsafe)
}
int exit_from_thread(const ferry::Device& device) {
    start_work(device);
    std::thread([] { std::exit(13); }).detach(); // NOLINT(concurrency-mt-unsafe)
    while (true) {
        statics.queue->finish(); // does not return once the process ends
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
}
int exit_from_callback(const ferry::Device& device) {
    start_work(device);
    statics.queue->on_complete([](const ferry::Status&) { std::exit(14); }); // NOLINT(concurrency-mt-unsafe)
    while (true) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
}
int exit_while_callback_runs(const ferry::Device& device) {
    start_work(device);
    std::atomic<bool> inside{false};
    ferry::Queue queue{device};
    queue.on_complete([&](const ferry::Status&) {
        inside = true;
        while (true) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
        }
    });
    while (!inside) {
        std::this_thread::yield();
    }
    std::exit(15); // NOLINT(concurrency-mt-unsafe)
}
int exit_while_mapped(const ferry::Device& device) {
    start_work(device);
    statics.mapping = statics.data->map(*statics.queue, ferry::Map::write);
    return 16;
}
int quick_exit_with_work(const ferry::Device& device) {
    start_work(device);
    std::quick_exit(17);
}
std::atomic<bool> ending{false};

int exit_with_threads(const ferry::Device& device) {
    start_work(device);
    std::atomic<int> running{0};
    for (int t = 0; t < 4; ++t) {
        std::thread([&] {
            ferry::Queue queue{device};
            ferry::Buffer<std::uint32_t> data{device, 1000};
            for (std::uint32_t i = 0;; ++i) { // a call does not return once the process ends
                queue.fill(data, i);
                const std::vector<std::uint32_t> seen = queue.read(data);
                if (seen[999] != i && !ending) { // commands that run into the end may be dropped
                    std::_Exit(99);
                }
                ++running;
            }
        }).detach();
    }
    while (running < 40) {
        std::this_thread::yield();
    }
    ending = true;
    std::exit(18); // NOLINT(concurrency-mt-unsafe)
}
std::chrono::steady_clock::time_point exit_begun;

int exit_joins_a_thread(const ferry::Device& device) {
    static std::thread worker;
    std::atexit([] { worker.join(); }); // runs after the library's handler, because a queue is made later
    static std::atomic<bool> runs{false};
    worker = std::thread([device] {
        try {
            ferry::Queue queue{device};
            ferry::Buffer<std::uint32_t> data{device, 1000};
            while (true) {
                queue.fill(data, 1U);
                queue.finish();
                runs = true;
            }
        } catch (const ferry::Error& error) { // lets the thread be joined
            if (error.code() != Code::invalid_state) {
                std::_Exit(99);
            }
        }
    });
    while (!runs) {
        std::this_thread::yield();
    }
    return 22;
}
/// The handler runs after the library's, and longer than the time after which calls of a thread that is
/// joined return.
int exit_handler_computes(const ferry::Device& device) {
    std::atexit([] {
        timespec used{};
        do { // for 2.5 s of processor time
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        } while (used.tv_sec * 1000 + used.tv_nsec / 1'000'000 < 2500);
    });
    static std::atomic<bool> runs{false};
    std::thread([device] {
        ferry::Queue queue{device};
        const ferry::Buffer<std::uint32_t> data{device, 1000};
        while (true) { // an error would end the process
            queue.fill(data, 1U);
            queue.finish();
            runs = true;
        }
    }).detach();
    while (!runs) {
        std::this_thread::yield();
    }
    return 23;
}
/// The vendor's library ends the process in its next call of this kind, while another queue has work.
template <CallKind kind>
int exit_inside(const ferry::Device& device) {
    // Runs after the library's handler, which must not wait for the thread that it runs on. The waits
    // that must not happen have limits of 20 s.
    std::atexit([] {
        if (std::chrono::steady_clock::now() - exit_begun > std::chrono::seconds(12)) {
            std::_Exit(98);
        }
    });
    static ferry::Queue other{device};
    static ferry::Queue queue{device};
    const ferry::Kernel spin = kernel(device, "spin");
    ferry::Buffer<std::uint32_t> data{device, 64 * 10};
    const std::vector<std::uint32_t> words(data.size(), 3U);
    queue.copy_and_wait(words, data);
    // A driver that compiles in the first launch registers exit handlers, which must precede Ferry's.
    other.launch(spin, {10, 64}, data, 1U);
    other.finish();
    other.launch(spin, {10, 64}, data, 1000U);
    exit_in_next(device, kind, 21);
    exit_begun = std::chrono::steady_clock::now();
    switch (kind) {
    case CallKind::copy:
        queue.copy(words, data);
        break;
    case CallKind::launch:
        queue.launch(spin, {10, 64}, data, 5U);
        break;
    case CallKind::build:
        ferry::Program(device, "__kernel void k(__global uint* x) { x[0] = " +
                                   std::to_string(exit_begun.time_since_epoch().count()) + "UL; }");
        break;
    case CallKind::allocation:
        ferry::Buffer<std::uint8_t>(device, std::size_t{300} << 20);
        break;
    case CallKind::wait:
        queue.launch(spin, {10, 64}, data, 5U);
        queue.finish();
        break;
    }
    return 97;
}
void read_at_exit() {
    try {
        statics.queue->finish();
        if (statics.queue->read(*statics.data).at(5) == spin_result(5, spin_rounds)) {
            return;
        }
    } catch (const ferry::Error& error) {
        std::cout << error.what() << std::endl;
    }
    std::_Exit(99);
}
int exit_handler_before_first_wait(const ferry::Device& device) {
    statics.queue.emplace(device);
    statics.data.emplace(device, 64 * 1000);
    statics.program = program(device);
    std::atexit(read_at_exit);
    const ferry::Kernel spin = statics.program->kernel("spin");
    statics.queue->launch(spin, {1000, 64}, *statics.data, spin_rounds);
    statics.queue->finish();
    statics.queue->launch(spin, {1000, 64}, *statics.data, spin_rounds);
    return 20;
}
int exit_handler_uses_it(const ferry::Device& device) {
    start_work(device);
    std::atexit(read_at_exit); // registered after the library's own handler, so it runs before it
    return 19;
}

const ChildRegistration registrations[] = {
    {"return_with_work", return_with_work},
    {"exit_with_work", exit_with_work},
    {"exit_from_thread", exit_from_thread},
    {"exit_from_callback", exit_from_callback},
    {"exit_while_callback_runs", exit_while_callback_runs},
    {"exit_while_mapped", exit_while_mapped},
    {"quick_exit_with_work", quick_exit_with_work},
    {"exit_with_threads", exit_with_threads},
    {"exit_joins_a_thread", exit_joins_a_thread},
    {"exit_handler_computes", exit_handler_computes},
    {"exit_inside_copy", exit_inside<CallKind::copy>},
    {"exit_inside_launch", exit_inside<CallKind::launch>},
    {"exit_inside_build", exit_inside<CallKind::build>},
    {"exit_inside_allocation", exit_inside<CallKind::allocation>},
    {"exit_inside_wait", exit_inside<CallKind::wait>},
    {"exit_handler_uses_it", exit_handler_uses_it},
    {"exit_handler_before_first_wait", exit_handler_before_first_wait},
};

} // namespace

FERRY_TEST("lifetime: exit by return from main") {
    check_child("return_with_work", device, 11);
}
FERRY_TEST("lifetime: exit with work in flight") {
    check_child("exit_with_work", device, 12);
}
FERRY_TEST("lifetime: exit from another thread while one waits") {
    check_child("exit_from_thread", device, 13);
}
FERRY_TEST("lifetime: exit from a callback") {
    check_child("exit_from_callback", device, 14);
}
FERRY_TEST("lifetime: exit while a callback does not end") {
    check_child("exit_while_callback_runs", device, 15);
}
FERRY_TEST("lifetime: exit while a buffer is mapped") {
    check_child("exit_while_mapped", device, 16);
}
FERRY_TEST("lifetime: quick_exit with work in flight") {
    check_child("quick_exit_with_work", device, 17);
}
FERRY_TEST("lifetime: exit while threads enqueue") {
    check_child("exit_with_threads", device, 18);
}
FERRY_TEST("lifetime: exit while a handler joins a thread that enqueues") {
    check_child("exit_joins_a_thread", device, 22);
}
FERRY_TEST("lifetime: exit while a handler computes and a thread enqueues") {
    check_child("exit_handler_computes", device, 23);
}
FERRY_TEST("lifetime: the vendor calls exit() inside a call") {
    if (!is_double(device)) {
        fail_launches(device, ""); // throws if the device supports no injection
    }
    for (const char* const call : {"copy", "launch", "build", "allocation", "wait"}) {
        INFO("call: ", std::string(call));
        check_child("exit_inside_" + std::string(call), device, 21);
    }
}
FERRY_TEST("lifetime: exit handlers of the program may still use it") {
    check_child("exit_handler_uses_it", device, 19);
}
FERRY_TEST("lifetime: exit handlers registered before the first wait may still use it") {
    check_child("exit_handler_before_first_wait", device, 20);
}
