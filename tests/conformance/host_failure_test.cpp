// SPDX-License-Identifier: Apache-2.0
// Failures of a queue's host work. The device does not see them, but all later commands must.
#include "../support/no_threads.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "recorded.hpp"
#include "staged.hpp"

#include <ferry/file.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace host_failure_test {

using namespace conformance;
using ferry::Code;

namespace {

using Words = std::vector<std::uint32_t>;

/// Reads a file into its own buffer. The read fails, but not before `go` if there is one.
class FailingRead {
public:
    explicit FailingRead(const ferry::Device& device) : bytes_(device, 4096) {}
    void enqueue(ferry::Queue& queue, const std::atomic<bool>* go = nullptr) {
        ferry::read_file(queue, "/proc/self/exe", bytes_, {.progress = [go](const ferry::FileProgress&) {
                             while (go != nullptr && !*go) {
                                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
                             }
                             throw std::runtime_error("on purpose");
                         }});
    }

private:
    ferry::Buffer<std::uint8_t> bytes_;
};

void expect_told(ferry::Queue& queue) {
    expect_error_anywhere(Code::command_failed, {"read_file", "on purpose"}, [&] { queue.finish(); });
}

} // namespace

FERRY_TEST("host failure: a queue that waits for a later event fails as well") {
    const Unchanged unchanged{device};
    ferry::Queue first{device};
    ferry::Queue second{device};
    FailingRead failing{device};
    ferry::Buffer<std::uint32_t> data{device, 100};
    for (const bool held : {true, false}) {
        INFO("the event's turn is yet to come when it is recorded: ", held);
        std::atomic<bool> go{!held};
        failing.enqueue(first, &go);
        ferry::Event event;
        if (held) {
            event = first.record();
            go = true;
        }
        while (!first.idle()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (!held) {
            event = first.record();
        }
        second.wait(event);
        second.fill(data, 1U);
        expect_told(second);
        second.fill(data, 2U); // this queue has reported the error, and continues
        CHECK(second.read(data)[99] == 2U);
        expect_error_anywhere(Code::command_failed, {"on purpose"}, [&] { event.wait(); });
        expect_told(first);
        first.finish();
    }
}

FERRY_TEST("host failure: a command enqueued before the report is waited for by its own event") {
    const Unchanged unchanged{device};
    const auto data = random_values<std::uint32_t>(200'003);
    for (const bool by_host : {false, true}) {
        INFO("the commands are the host's, too: ", by_host);
        const Staged staged(by_host ? "on" : "off");
        ferry::Queue queue{device};
        FailingRead failing{device};
        ferry::Buffer<std::uint32_t> buffer{device, data.size()};
        queue.copy_and_wait(data, buffer);
        Words back(data.size(), 0xDEADBEEF);
        ferry::Event event;
        failing.enqueue(queue);
        queue.on_complete([&](const ferry::Status& status) {
            CHECK_FALSE(status.ok());
            const auto count = static_cast<std::uint32_t>(data.size());
            for (std::uint32_t salt = 0; salt < 20; ++salt) {
                queue.launch(kernel(device, "stir"), ferry::Grid::covering(count, 64), buffer, count, salt);
            }
            queue.copy(buffer, back);
            event = queue.record();
        });
        expect_told(queue);
        // The result depends on scheduling: the host's work may come before or after the report of the
        // failure.
        CHECK((by_host || !event.status().ok()));
        static_cast<void>(event.status());
        const Words seen = back; // no command writes to it any more
        try {
            queue.finish();
        } catch (const ferry::Error& error) {
            CHECK(by_host);
            CHECK(error.code() == Code::command_failed);
        }
        CHECK(seen == back);
        if (!by_host) { // an earlier failure does not stop enqueued device work
            Words wanted = data;
            for (std::uint32_t salt = 0; salt < 20; ++salt) {
                recorded::stir(wanted, salt);
            }
            check_same(seen, wanted);
        }
    }
}

FERRY_TEST("host failure: a replay for which the system refuses a thread does nothing") {
    const Staged staged;
    const Words data = random_values<std::uint32_t>(Staged::slot);
    ferry::Buffer<std::uint32_t> small{device, 100};
    ferry::Buffer<std::uint32_t> large{device, data.size()};
    ferry::Queue other{device};
    other.fill(small, 1U);
    other.fill(large, 0U);
    other.finish();
    const ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                         record.fill(small, 2U);
                                         record.copy(data, large);
                                     }};
    ferry::Queue queue{device};
    {
        const support::NoThreads none;
        expect_error_anywhere(Code::out_of_memory, {"thread"}, [&] { queue.replay(recording); });
    }
    queue.finish();
    CHECK(other.read(small)[99] == 1U);
    check_same(other.read(large), Words(data.size(), 0U));
    queue.replay(recording);
    queue.finish();
    CHECK(other.read(small)[99] == 2U);
    check_same(other.read(large), data);
}

} // namespace host_failure_test
