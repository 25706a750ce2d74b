// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace conformance;
using ferry::Code;
using ferry::Status;

FERRY_TEST("callback: it runs once, after the commands before it, with how they ended") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64 * 50};
    std::vector<std::uint32_t> seen = poison<std::uint32_t>(buffer.size());
    queue.launch(kernel(device, "spin"), {50, 64}, buffer, 2000U);
    queue.copy(buffer, seen);
    std::atomic<int> calls{0};
    std::atomic<bool> good{false};
    std::atomic<bool> complete{false};
    std::thread::id thread;
    queue.on_complete([&](const Status& status) {
        good = status.ok() && status.error() == nullptr;
        complete = seen[3000] == spin_result(3000, 2000);
        thread = std::this_thread::get_id();
        ++calls;
    });
    queue.finish();
    CHECK(calls == 1);
    CHECK(good);
    CHECK(complete);
    CHECK(thread != std::this_thread::get_id());
}

FERRY_TEST("callback: those of one queue run in order, one at a time") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64};
    std::vector<int> order;
    std::atomic<int> inside{0};
    std::atomic<bool> together{false};
    for (int i = 0; i < 200; ++i) {
        queue.fill(buffer, 1U);
        queue.on_complete([&, i](const Status&) {
            together = together || ++inside != 1;
            order.push_back(i); // no lock: the library promises to run one callback at a time
            --inside;
        });
    }
    queue.finish();
    CHECK_FALSE(together);
    REQUIRE(order.size() == 200);
    for (int i = 0; i < 200; ++i) {
        CHECK(order[static_cast<std::size_t>(i)] == i);
    }
}

FERRY_TEST("callback: on a queue with nothing to do it runs too") {
    ferry::Queue queue{device};
    std::atomic<int> calls{0};
    queue.on_complete([&](const Status& status) { calls += status.ok() ? 1 : 100; });
    queue.finish();
    CHECK(calls == 1);
}

FERRY_TEST("callback: it may enqueue, on its own queue and on another") {
    ferry::Queue queue{device};
    ferry::Queue other{device};
    const ferry::Kernel add = kernel(device, "add");
    ferry::Buffer<std::uint32_t> mine{device, 500};
    ferry::Buffer<std::uint32_t> theirs{device, 500};
    queue.fill(mine, 10U);
    queue.on_complete([&](const Status&) {
        queue.launch(add, ferry::Grid::covering(500, 50), mine, 500U, 3U);
        other.fill(theirs, 8U);
        other.launch(add, ferry::Grid::covering(500, 50), theirs, 500U, 4U);
    });
    queue.finish();
    check_same(queue.read(mine), std::vector<std::uint32_t>(500, 13));
    check_same(other.read(theirs), std::vector<std::uint32_t>(500, 12));
}

FERRY_TEST("callback: one that registers the next, a chain") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64};
    const ferry::Kernel add = kernel(device, "add");
    queue.fill(buffer, 0U);
    std::atomic<int> left{20};
    std::function<void(Status)> next = [&](const Status&) {
        queue.launch(add, {1, 64}, buffer, 64U, 1U);
        if (--left > 0) {
            queue.on_complete(next);
        }
    };
    queue.on_complete(next);
    while (left > 0) {
        std::this_thread::yield();
    }
    queue.finish();
    check_same(queue.read(buffer), std::vector<std::uint32_t>(64, 20));
}

FERRY_TEST("callback: it may wait for another queue, and finish its own") {
    ferry::Queue queue{device};
    ferry::Queue other{device};
    ferry::Buffer<std::uint32_t> buffer{device, 300};
    std::vector<std::uint32_t> seen;
    std::atomic<bool> own{false};
    queue.on_complete([&](const Status&) {
        other.fill(buffer, 42U);
        seen = other.read(buffer);
        queue.finish();
        own = true;
    });
    queue.finish();
    check_same(seen, std::vector<std::uint32_t>(300, 42));
    CHECK(own);
}

FERRY_TEST("callback: commands enqueued after it do not wait for it") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 100};
    std::atomic<bool> go{false};
    queue.on_complete([&](const Status&) {
        while (!go) {
            std::this_thread::yield();
        }
    });
    queue.fill(buffer, 6U);
    std::vector<std::uint32_t> seen(100);
    queue.copy(buffer, seen);
    queue.record().wait(); // would never return if the commands waited for the callback
    check_same(seen, std::vector<std::uint32_t>(100, 6));
    go = true;
    queue.finish();
}

FERRY_TEST("callback: its exception is delivered by finish, once") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 10};
    queue.on_complete([](const Status&) { throw std::runtime_error("the callback's own words"); });
    expect_error_anywhere(Code::command_failed, {"callback", "the callback's own words"},
                          [&] { queue.finish(); });
    queue.finish();
    queue.on_complete([](const Status&) { throw 17; }); // NOLINT: anything may leave a callback
    expect_error_anywhere(Code::command_failed, {"callback"}, [&] { queue.finish(); });
    queue.fill(buffer, 3U);
    check_same(queue.read(buffer), std::vector<std::uint32_t>(10, 3));
}

FERRY_TEST("callback: its exception stops no command, and is not reported as a command's failure") {
    const Unchanged unchanged{device};
    const char* const file = "/proc/self/exe";
    std::vector<std::uint32_t> values(10);
    std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(values.data()), 40);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 10};
    queue.fill(buffer, 0U);
    std::atomic<bool> called{false};
    queue.on_complete([&](const Status&) {
        called = true;
        called.notify_all();
        throw std::runtime_error("early");
    });
    called.wait(false);
    ferry::read_file(queue, file, buffer); // runs on the host
    const ferry::Event end = queue.record();
    CHECK(end.status().ok());
    expect_error_anywhere(Code::command_failed, {"callback", "early"}, [&] { queue.finish(); });
    check_same(queue.read(buffer), values);
}

FERRY_TEST("callback: its exception is dropped when the queue is destroyed") {
    const Unchanged unchanged{device};
    std::atomic<int> calls{0};
    {
        ferry::Queue queue{device};
        queue.on_complete([&](const Status&) {
            ++calls;
            throw std::runtime_error("nobody asks");
        });
    }
    CHECK(calls == 1); // the destructor waits for callbacks
}

FERRY_TEST("callback: an empty function is refused") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    expect_error(Code::invalid_argument, {"callback"},
                 [&] { queue.on_complete(std::function<void(Status)>{}); });
}

FERRY_TEST("callback: its captures are destroyed by the time finish returns") {
    ferry::Queue queue{device};
    auto token = std::make_shared<int>(5);
    queue.on_complete([token](const Status&) {});
    queue.finish();
    CHECK(token.use_count() == 1);
}

FERRY_TEST("callback: one that ends its thread is reported by finish(), and the later ones run") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 100};
    std::atomic<int> ran{0};
    for (int round = 0; round < 3; ++round) {
        queue.fill(buffer, 5U);
        queue.on_complete([&](const Status&) { ++ran; });
        queue.on_complete([](const Status&) { pthread_exit(nullptr); });
        queue.on_complete([&](const Status&) { ++ran; });
        expect_error_anywhere(Code::command_failed, {"ended its thread", "pthread_exit"},
                              [&] { queue.finish(); });
        CHECK(ran == 2 * (round + 1));
        queue.finish(); // the error was already reported
        check_same(queue.read(buffer), std::vector<std::uint32_t>(100, 5U));
    }
}

FERRY_TEST("callback: a queue ends after a callback that ends its thread") {
    const Unchanged unchanged{device};
    for (int round = 0; round < 20; ++round) {
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> buffer{device, 100};
        queue.fill(buffer, 5U);
        queue.on_complete([](const Status&) { pthread_exit(nullptr); });
    }
}

FERRY_TEST("wait: a thread that is cancelled in finish() ends after it") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64 * 50};
    std::vector<std::uint32_t> seen = poison<std::uint32_t>(buffer.size());
    struct Shared {
        ferry::Queue& queue;
        std::atomic<bool> begun{false};
        std::atomic<bool> finished{false};
    } shared{queue};
    for (int i = 0; i < 20; ++i) {
        queue.launch(kernel(device, "spin"), {50, 64}, buffer, 2000U);
    }
    queue.copy(buffer, seen);
    pthread_t thread{};
    const auto body = [](void* given) -> void* {
        auto& here = *static_cast<Shared*>(given);
        here.begun = true;
        here.queue.finish();
        here.finished = true;
        while (true) {
            pthread_testcancel();
        }
    };
    REQUIRE(pthread_create(&thread, nullptr, body, &shared) == 0);
    while (!shared.begun) {
        std::this_thread::yield();
    }
    // A cancellation requested before the call would take effect at the first cancellation point. The call
    // must have none.
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(shared.finished);
    CHECK(seen[3000] == spin_result(3000, 2000));
    queue.finish();
}
