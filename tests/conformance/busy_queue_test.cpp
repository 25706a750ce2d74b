// SPDX-License-Identifier: Apache-2.0
// Waits must end although other threads keep their queues busy.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "pages.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace busy_queue_test {

using namespace conformance;

namespace {

using Word = std::uint32_t;
constexpr std::uint32_t count = 64 * 64;

/// Keeps two to three launches in flight until it is destroyed, on its own queue or on the given one. It
/// stops after a minute, so that a call that wrongly waits for it returns and the test can report that.
class Busy {
public:
    explicit Busy(const ferry::Device& device, ferry::Queue* queue = nullptr) {
        thread_ = std::thread([this, device, queue] { run(device, queue); });
        while (rounds_ < 6) {
            std::this_thread::yield();
        }
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() {
        stop_ = true;
        thread_.join();
    }
    bool has_ended() const { return ended_; }

private:
    void run(const ferry::Device& device, ferry::Queue* given) {
        std::optional<ferry::Queue> own;
        ferry::Queue& queue = given != nullptr ? *given : own.emplace(device);
        ferry::Buffer<Word> data{device, count};
        const ferry::Kernel spin = kernel(device, "spin");
        ferry::Event events[3];
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        for (int i = 0; !stop_; ++i, ++rounds_) {
            if (std::chrono::steady_clock::now() > end) {
                ended_ = true;
                break;
            }
            queue.launch(spin, {count / 64, 64}, data, 1500U);
            events[i % 3] = queue.record();
            events[(i + 1) % 3].wait();
        }
        queue.record().wait();
    }

    std::atomic<bool> stop_{false};
    std::atomic<bool> ended_{false};
    std::atomic<int> rounds_{0};
    std::thread thread_;
};

void check_ends_before(const std::function<void()>& call, std::initializer_list<const Busy*> others) {
    call();
    for (const Busy* other : others) {
        CHECK(!other->has_ended());
    }
}

} // namespace

FERRY_TEST("wait: finish() returns while another thread continues to enqueue on the same queue") {
    ferry::Queue queue{device};
    ferry::Buffer<Word> data{device, count};
    const Busy busy(device, &queue);
    for (Word round = 0; round < 5; ++round) {
        const auto words = random_values<Word>(count);
        queue.copy(words, data);
        std::vector<Word> back(count);
        queue.copy(data, back);
        check_ends_before([&] { queue.finish(); }, {&busy});
        check_same(back, words);
    }
}

FERRY_TEST("wait: a mapping is ready while another thread continues to enqueue on the same queue") {
    ferry::Queue queue{device};
    const auto words = random_values<Word>(count);
    ferry::Buffer<Word> data{device, count};
    queue.copy_and_wait(words, data);
    const Busy busy(device, &queue);
    check_ends_before(
        [&] {
            const auto mapping = data.map(queue, ferry::Map::read);
            check_same(std::vector<Word>(mapping.begin(), mapping.end()), words);
        },
        {&busy});
}

FERRY_TEST("wait: the ends of buffers and trim() do not wait for the queues of others") {
    const Busy one(device);
    const Busy two(device);
    ferry::Queue queue{device};
    const ferry::Kernel add = kernel(device, "add");
    check_ends_before(
        [&] {
            for (int i = 0; i < 20; ++i) {
                ferry::Buffer<Word> data{device, std::size_t{1} << 16};
                queue.launch(add, {16, 64}, data, 1024U, 1U);
            }
            queue.finish();
            device.pool().trim();
        },
        {&one, &two});
}

FERRY_TEST("import: its end does not wait for the queues of others") {
    const Busy one(device);
    const Busy two(device);
    ferry::Queue queue{device};
    auto wanted = random_values<Word>(1 << 16);
    const Pages pages(wanted.size() * sizeof(Word)); // the strict device imports whole pages
    const std::span<Word> words = pages.span<Word>();
    std::copy(wanted.begin(), wanted.end(), words.begin());
    check_ends_before(
        [&] {
            const ferry::Imported<Word> import(device, words);
            queue.launch(kernel(device, "add"), {16, 64}, import, 1024U, 7U);
        },
        {&one, &two});
    for (std::size_t i = 0; i < 1024; ++i) {
        wanted[i] += 7;
    }
    check_same(std::vector<Word>(words.begin(), words.end()), wanted);
}

FERRY_TEST("share: its end does not wait for the queues of others") {
    const Busy one(device);
    const Busy two(device);
    ferry::Queue queue{device};
    auto words = random_values<Word>(1 << 16);
    auto wanted = words;
    check_ends_before(
        [&] {
            auto shared = ferry::share(device, words, ferry::Access::device_updates);
            queue.launch(kernel(device, "add"), {16, 64}, shared, 1024U, 7U);
            shared.end();
        },
        {&one, &two});
    for (std::size_t i = 0; i < 1024; ++i) {
        wanted[i] += 7;
    }
    check_same(words, wanted);
}

} // namespace busy_queue_test
