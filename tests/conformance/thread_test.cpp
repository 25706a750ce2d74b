// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <ferry/interop/native.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace thread_test {

using namespace conformance;

namespace {

/// Runs `body(0) ... body(count - 1)` at the same time. Rethrows the first exception.
void in_threads(std::size_t count, const std::function<void(std::size_t)>& body) {
    std::mutex mutex;
    std::string failure;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t) {
        threads.emplace_back([&, t] {
            try {
                body(t);
            } catch (const std::exception& error) {
                const std::scoped_lock lock(mutex);
                failure = error.what();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK_MESSAGE(failure.empty(), failure);
}

constexpr std::uint32_t count = 2003;

} // namespace

FERRY_TEST("thread: each with its own queue and buffers") {
    std::vector<std::vector<std::uint32_t>> models(6);
    std::vector<std::vector<std::uint32_t>> results(models.size());
    for (auto& model : models) {
        model = random_values<std::uint32_t>(count);
    }
    in_threads(models.size(), [&](std::size_t t) {
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> buffer{device, count};
        queue.copy_and_wait(models[t], buffer);
        for (std::uint32_t round = 0; round < 50; ++round) {
            queue.launch(kernel(device, "stir"), ferry::Grid::covering(count, 64), buffer, count, round);
        }
        results[t] = queue.read(buffer);
    });
    for (std::size_t t = 0; t < models.size(); ++t) {
        for (std::uint32_t round = 0; round < 50; ++round) {
            for (std::uint32_t i = 0; i < count; ++i) {
                models[t][i] = stir_result(models[t][i], i, round);
            }
        }
        check_same(results[t], models[t]);
    }
}

FERRY_TEST("thread: all on one queue with one kernel") {
    ferry::Queue queue{device};
    const ferry::Kernel add = kernel(device, "add");
    ferry::Buffer<std::uint32_t> buffer{device, count};
    queue.fill(buffer, 0U);
    in_threads(8, [&](std::size_t t) {
        for (std::uint32_t i = 0; i < 100; ++i) {
            queue.launch(add, ferry::Grid::covering(count, 64), buffer, count,
                         static_cast<std::uint32_t>(t) + 1);
        }
        queue.finish();
    });
    check_same(queue.read(buffer), std::vector<std::uint32_t>(count, 100 * 36));
}

FERRY_TEST("thread: batches of copies on many queues") {
    constexpr std::size_t piece = 1003;
    constexpr std::size_t pieces = 150;
    std::vector<std::vector<std::uint8_t>> data(4);
    for (auto& values : data) {
        values = random_values<std::uint8_t>(piece * pieces);
    }
    std::vector<std::vector<std::uint8_t>> results(data.size(), poison<std::uint8_t>(piece * pieces));
    in_threads(data.size(), [&](std::size_t t) {
        ferry::Queue queue{device};
        ferry::Buffer<std::uint8_t> a{device, piece * pieces};
        ferry::Buffer<std::uint8_t> b{device, piece * pieces};
        const auto host = [&](auto& values, std::size_t i) {
            return std::span(values).subspan(i * piece, piece);
        };
        for (int round = 0; round < 6; ++round) {
            ferry::Batch up;
            ferry::Batch over;
            ferry::Batch down;
            // the pieces are permuted, and are in their places again at the end
            for (std::size_t i = 0; i < pieces; ++i) {
                up.copy(host(data[t], i), a.subview(i * 7 % pieces * piece, piece));
                over.copy(a.subview(i * piece, piece), b.subview((pieces - 1 - i) * piece, piece));
                down.copy(b.subview((pieces - 1 - i * 7 % pieces) * piece, piece), host(results[t], i));
            }
            queue.fill(a, std::uint8_t{0});
            queue.copy(up);
            queue.copy(over);
            queue.copy(down);
            queue.fill(b, std::uint8_t{0});
            queue.finish();
        }
    });
    for (std::size_t t = 0; t < data.size(); ++t) {
        check_same(results[t], data[t]);
    }
}

FERRY_TEST("thread: one kernel on many queues, each with its own arguments") {
    const ferry::Kernel iota = kernel(device, "iota");
    std::atomic<int> wrong{0};
    in_threads(8, [&](std::size_t t) {
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> buffer{device, 128};
        for (std::uint32_t i = 0; i < 60; ++i) {
            const std::uint32_t base = static_cast<std::uint32_t>(t) * 1000 + i;
            queue.launch(iota, {2, 64}, buffer, 128U, base);
            const auto seen = queue.read(buffer);
            wrong += seen[0] == base && seen[127] == base + 127 ? 0 : 1;
        }
    });
    CHECK(wrong == 0);
}

FERRY_TEST("thread: one kernel on many queues, with grids that grow") {
    constexpr std::size_t local = 29; // no other test uses this size, so its first launches are made here
    constexpr std::size_t most_groups = 40;
    constexpr std::uint32_t rounds = 500;
    std::vector<std::vector<std::uint32_t>> results(4);
    in_threads(results.size(), [&](std::size_t t) {
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> buffer{device, most_groups * local};
        for (std::size_t groups = 1; groups <= most_groups; ++groups) {
            queue.launch(kernel(device, "spin"), {groups, local}, buffer, rounds);
        }
        results[t] = queue.read(buffer);
    });
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t i = 0; i < most_groups * local; ++i) {
        wanted.push_back(spin_result(i, rounds));
    }
    for (const auto& result : results) {
        check_same(result, wanted);
    }
}

FERRY_TEST("thread: making and destroying buffers, queues and events") {
    const std::uint64_t before = device.memory().used_here;
    in_threads(8, [&](std::size_t t) {
        for (std::uint32_t i = 0; i < 40; ++i) {
            ferry::Queue queue{device};
            ferry::Buffer<std::uint32_t> buffer{device, 100 + t * 10 + i};
            queue.fill(buffer, i);
            const ferry::Event event = queue.record();
            ferry::Queue other{device};
            other.wait(event);
            if (other.read(buffer).back() != i) {
                throw std::runtime_error("wrong contents");
            }
        }
    });
    CHECK(device.memory().used_here == before);
}

FERRY_TEST("thread: building programs at once") {
    in_threads(4, [&](std::size_t) {
        const ferry::Program own{device, sources()};
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> buffer{device, 64};
        queue.launch(own.kernel("iota"), {1, 64}, buffer, 64U, 5U);
        if (queue.read(buffer)[63] != 68) {
            throw std::runtime_error("wrong result");
        }
    });
}

FERRY_TEST("thread: several wait for one event") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 64 * 50};
    queue.launch(kernel(device, "spin"), {50, 64}, buffer, 3000U);
    const ferry::Event event = queue.record();
    std::atomic<int> done{0};
    in_threads(6, [&](std::size_t t) {
        const ferry::Event mine = event; // NOLINT(performance-unnecessary-copy-initialization)
        if (t % 2 == 0) {
            mine.wait();
        }
        while (!mine.ready()) {
            std::this_thread::yield();
        }
        ++done;
    });
    CHECK(done == 6);
}

FERRY_TEST("thread: finish from one while others enqueue") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    queue.fill(buffer, 0U);
    std::atomic<bool> stop{false};
    in_threads(4, [&](std::size_t t) {
        if (t == 0) {
            for (int i = 0; i < 50; ++i) {
                queue.finish();
            }
            stop = true;
            return;
        }
        while (!stop) { // each thread limits its pending commands, but some are always pending
            for (int i = 0; i < 20; ++i) {
                queue.fill(buffer, static_cast<std::uint32_t>(t));
            }
            (void)queue.idle();
            queue.record().wait();
        }
    });
    queue.finish();
}

TEST_CASE("thread: enumerating and asking at once") {
    in_threads(8, [&](std::size_t) {
        for (int i = 0; i < 10; ++i) {
            for (const ferry::Device& device : ferry::all_devices()) {
                (void)device.info().name.size();
                (void)device.memory().total;
                (void)device.alternates().size();
            }
            (void)ferry::backends().size();
        }
    });
}

// Of CUDA's calls that a capture does not allow, Ferry needs one to free such memory.
FERRY_TEST("thread: recordings are made while others free memory that was used past Ferry") {
    constexpr std::uint32_t length = 1009;
    const bool captures = device.backend() == ferry::Backend::cuda || device.backend() == ferry::Backend::hip;
    const std::uint32_t rounds = captures ? 500 : 50;
    const auto use_past_ferry = [&] {
        ferry::Buffer<std::uint32_t> used{device, length};
        static_cast<void>(ferry::interop::detail::native_range(used.region(), device.backend(), {}));
    };
    const auto record_and_check = [&](std::uint32_t value) {
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> buffer{device, length};
        const ferry::Recording recording{
            device, [&](ferry::Recorder& record) {
                record.fill(buffer, value);
                record.launch(kernel(device, "add"), ferry::Grid::covering(length, 64), buffer, length, 4U);
            }};
        queue.replay(recording);
        if (queue.read(buffer) != std::vector<std::uint32_t>(length, value + 4)) {
            throw std::runtime_error("wrong values");
        }
    };
    in_threads(4, [&](std::size_t t) {
        for (std::uint32_t i = 0; i < rounds; ++i) {
            if (t % 2 == 0) {
                use_past_ferry();
            } else {
                record_and_check(static_cast<std::uint32_t>(t) * rounds + i);
            }
        }
    });
}

} // namespace thread_test
