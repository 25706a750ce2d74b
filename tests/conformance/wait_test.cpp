// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

namespace wait_test {

using namespace conformance;
using ferry::Code;
using ferry::WaitPolicy;

namespace {

constexpr WaitPolicy policies[] = {WaitPolicy::automatic, WaitPolicy::spin, WaitPolicy::yield,
                                   WaitPolicy::block};
constexpr std::uint32_t count = 64 * 32;

void slow(ferry::Queue& queue, ferry::Buffer<std::uint32_t>& buffer, std::uint32_t rounds) {
    queue.launch(kernel(queue.device(), "spin"), {count / 64, 64}, buffer, rounds);
}

std::vector<std::uint32_t> slow_result(std::uint32_t rounds) {
    std::vector<std::uint32_t> result(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        result[i] = spin_result(i, rounds);
    }
    return result;
}

std::chrono::duration<double> processor_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Sets the variable until the end of the scope.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { unsetenv(name_); }

private:
    const char* name_;
};

} // namespace

FERRY_TEST("wait: finish and events wait for all of the work, whatever the policy") {
    for (const WaitPolicy policy : policies) {
        CAPTURE(static_cast<int>(policy));
        ferry::Queue queue{device, {.wait = policy}};
        ferry::Buffer<std::uint32_t> buffer{device, count};
        for (const std::uint32_t rounds : {0U, 10U, 3000U}) {
            std::vector<std::uint32_t> seen = poison<std::uint32_t>(count);
            slow(queue, buffer, rounds);
            queue.copy(buffer, seen);
            queue.finish();
            check_same(seen, slow_result(rounds));

            seen = poison<std::uint32_t>(count);
            queue.fill(buffer, 0U);
            slow(queue, buffer, rounds);
            queue.copy(buffer, seen);
            const ferry::Event event = queue.record();
            slow(queue, buffer, rounds);
            event.wait();
            CHECK(event.ready());
            check_same(seen, slow_result(rounds));
        }
        queue.finish(); // also returns if there is nothing to wait for
    }
}

FERRY_TEST("wait: several threads wait for one queue and one event") {
    for (const WaitPolicy policy : policies) {
        CAPTURE(static_cast<int>(policy));
        ferry::Queue queue{device, {.wait = policy}};
        ferry::Buffer<std::uint32_t> buffer{device, count};
        std::vector<std::uint32_t> seen(count);
        for (int round = 0; round < 5; ++round) {
            seen = poison<std::uint32_t>(count);
            slow(queue, buffer, 1000);
            queue.copy(buffer, seen);
            const ferry::Event event = queue.record();
            std::vector<char> right(6);
            std::vector<std::thread> threads;
            for (std::size_t t = 0; t < right.size(); ++t) {
                threads.emplace_back([&, t] {
                    if (t % 2 == 0) {
                        event.wait();
                    } else {
                        queue.finish();
                    }
                    right[t] = seen[count - 1] == spin_result(count - 1, 1000) ? 1 : 0;
                });
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
            CHECK(right == std::vector<char>(right.size(), 1));
        }
    }
}

FERRY_TEST("wait: blocking leaves the processor alone") {
    if (device.backend() == ferry::Backend::opencl) {
        throw ferry::Error(ferry::Code::unsupported, "How its one wait waits is the driver's affair.");
    }
    ferry::Queue queue{device, {.wait = WaitPolicy::block}};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    using Clock = std::chrono::steady_clock;
    // Uses work of at least 50 ms, so that the cost of the wait itself is small in comparison. More launches
    // instead of longer ones: llvmpipe ends loops after 65,535 iterations.
    for (std::uint32_t launches = 1;; launches *= 2) {
        for (const bool by_event : {false, true}) {
            for (std::uint32_t i = 0; i < launches; ++i) {
                slow(queue, buffer, 1U << 14);
            }
            const ferry::Event event = queue.record();
            const auto start = Clock::now();
            const auto used_before = processor_time();
            by_event ? event.wait() : queue.finish();
            const std::chrono::duration<double> used = processor_time() - used_before;
            const std::chrono::duration<double> taken = Clock::now() - start;
            if (taken >= std::chrono::milliseconds(50)) {
                CHECK(used < taken / 4);
                if (by_event) {
                    return;
                }
            }
        }
        REQUIRE(launches < 1U << 16);
    }
}

FERRY_TEST("wait: FERRY_WAIT is obeyed or refused") {
    ferry::Buffer<std::uint32_t> buffer{device, count};
    for (const char* word : {"spin", "Yield", "block", "auto", ""}) {
        const Variable variable("FERRY_WAIT", word);
        ferry::Queue queue{device};
        slow(queue, buffer, 500);
        check_same(queue.read(buffer), slow_result(500));
    }
    const Variable variable("FERRY_WAIT", "sleepily");
    expect_error(Code::invalid_argument, {"FERRY_WAIT", "sleepily", "auto, spin, yield or block"},
                 [&] { const ferry::Queue queue{device}; });
    ferry::Queue told{device, {.wait = WaitPolicy::yield}}; // does not read the variable
    told.finish();
}

} // namespace wait_test
