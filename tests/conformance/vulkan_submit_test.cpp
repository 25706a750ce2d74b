// SPDX-License-Identifier: Apache-2.0
// The submits of the Vulkan backend: their number, and failures of them.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "vulkan.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace vulkan_submit_test {

using namespace conformance;
using ferry::Code;
using ferry::Grid;

namespace {

using Submit = ferry::vulkan::Result (*)(ferry::vulkan::Queue, std::uint32_t,
                                         const ferry::vulkan::SubmitInfo*, ferry::vulkan::Fence);

std::atomic<unsigned> submits{0};
std::atomic<unsigned> failures{0}; ///< Of the next calls.
Submit real_submit = nullptr;

ferry::vulkan::Result counted_submit(ferry::vulkan::Queue queue, std::uint32_t count,
                                     const ferry::vulkan::SubmitInfo* infos, ferry::vulkan::Fence fence) {
    ++submits;
    if (failures != 0) {
        --failures;
        return -1; // VK_ERROR_OUT_OF_HOST_MEMORY
    }
    return real_submit(queue, count, infos, fence);
}

/// Counts the calls of vkQueueSubmit, and lets some fail. No other thread uses the device.
class Submits {
public:
    explicit Submits(const ferry::Device& device)
        : submit_(const_cast<ferry::vulkan::DeviceApi&>(vulkan_device(device).api()) // NOLINT(*-const-cast)
                      .vkQueueSubmit.function) {
        real_submit = submit_;
        submit_ = counted_submit;
        submits = failures = 0;
    }
    Submits(const Submits&) = delete;
    Submits& operator=(const Submits&) = delete;
    ~Submits() { submit_ = real_submit; }

private:
    Submit& submit_;
};

void need_vulkan(const ferry::Device& device) {
    if (device.backend() != ferry::Backend::vulkan) {
        throw ferry::Error(Code::unsupported, device.id() + " has no vkQueueSubmit");
    }
}

constexpr std::uint32_t count = 256;
const Grid grid = Grid::covering(count, 64);

} // namespace

FERRY_TEST("vulkan submits: launches that take long are alone in one, short ones share one") {
    need_vulkan(device);
    ferry::Buffer<std::uint32_t> buffer{device, count};
    for (const bool measured : {true, false}) {
        for (const bool slow : {true, false}) {
            CAPTURE(measured);
            CAPTURE(slow);
            const ferry::Program program{device, sources()};
            const ferry::Kernel add = program.kernel("add");
            forecast(add, grid, slow ? std::chrono::milliseconds(60) : std::chrono::microseconds(1));
            const MeasuredSubmits measures(device);
            vulkan_device(device).measure_submits(measured);
            ferry::Queue queue{device};
            queue.fill(buffer, 0U);
            queue.finish();
            const Submits counts(device);
            for (std::uint32_t i = 0; i < 10; ++i) {
                queue.launch(add, grid, buffer, count, i);
            }
            queue.finish();
            CHECK(submits == (measured && slow ? 10 : 1));
            check_same(queue.read(buffer), std::vector<std::uint32_t>(count, 45U));
        }
    }
}

FERRY_TEST("vulkan submits: a recording is one for 64 commands, or as many as its times need") {
    need_vulkan(device);
    ferry::Buffer<std::uint32_t> buffer{device, count};
    for (const bool slow : {false, true}) {
        CAPTURE(slow);
        const ferry::Program program{device, sources()};
        const ferry::Kernel add = program.kernel("add");
        forecast(add, grid, slow ? std::chrono::milliseconds(40) : std::chrono::microseconds(1));
        const MeasuredSubmits measures(device);
        ferry::Queue queue{device};
        queue.fill(buffer, 0U);
        const ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                             for (std::uint32_t i = 0; i < 20; ++i) {
                                                 record.launch(add, grid, buffer, count, i);
                                             }
                                         }};
        queue.finish();
        const Submits counts(device);
        queue.replay(recording);
        queue.finish();
        CHECK(submits == (slow ? 10 : 1));
        check_same(queue.read(buffer), std::vector<std::uint32_t>(count, 190U));
    }
}

FERRY_TEST("vulkan submits: a failure for the wait of another queue reaches the queue with the commands") {
    need_vulkan(device);
    ferry::Buffer<std::uint32_t> buffer{device, count};
    ferry::Buffer<std::uint32_t> others{device, count};
    ferry::Queue queue{device};
    ferry::Queue other{device};
    queue.fill(buffer, 1U);
    queue.finish();
    other.finish();
    {
        const Submits counts(device);
        queue.fill(buffer, 2U); // Not submitted yet.
        const ferry::Event event = queue.record();
        failures = 1;
        other.wait(event);
        CHECK(failures == 0);
        other.fill(others, 3U);
        other.finish();
        check_same(other.read(others), std::vector<std::uint32_t>(count, 3U));
        expect_error_anywhere(Code::out_of_memory, {"vkQueueSubmit"}, [&] { event.wait(); });
        expect_error_anywhere(Code::out_of_memory, {"vkQueueSubmit", "VK_ERROR_OUT_OF_HOST_MEMORY"},
                              [&] { queue.finish(); });
        queue.finish();
    }
    queue.fill(buffer, 4U);
    check_same(queue.read(buffer), std::vector<std::uint32_t>(count, 4U));
}

FERRY_TEST(
    "vulkan submits: lost commands are reported by later events and by finish(), and earlier events hold") {
    need_vulkan(device);
    ferry::Buffer<std::uint32_t> buffer{device, count};
    ferry::Queue queue{device};
    queue.fill(buffer, 1U);
    const ferry::Event before = queue.record();
    queue.flush();
    {
        const Submits counts(device);
        failures = 1;
        for (std::uint32_t i = 0; i < 100; ++i) { // More than one submit has.
            queue.fill(buffer, i);
        }
        CHECK(failures == 0);
        const ferry::Event after = queue.record();
        before.wait();
        expect_error_anywhere(Code::out_of_memory, {"vkQueueSubmit"}, [&] { after.wait(); });
        expect_error_anywhere(Code::out_of_memory, {"vkQueueSubmit"}, [&] { queue.finish(); });
        queue.finish();
    }
    queue.fill(buffer, 5U);
    check_same(queue.read(buffer), std::vector<std::uint32_t>(count, 5U));
}

FERRY_TEST("vulkan submits: after lost commands the queue still waits for the other queue") {
    need_vulkan(device);
    constexpr std::uint32_t rounds = 20000;
    constexpr std::uint32_t items = 64 * 50;
    ferry::Buffer<std::uint32_t> slow{device, items};
    ferry::Queue first{device};
    ferry::Queue second{device};
    ferry::Queue third{device};
    std::vector<std::uint32_t> seen(items);
    {
        const Submits counts(device);
        first.launch(kernel(device, "spin"), {50, 64}, slow, rounds);
        second.wait(first.record());
        second.fill(slow, 0U);
        const ferry::Event lost = second.record();
        failures = 1;
        third.wait(lost); // The fill is lost. The order of the queues is not.
        CHECK(failures == 0);
        third.copy_and_wait(slow, seen);
        expect_error_anywhere(Code::out_of_memory, {"vkQueueSubmit"}, [&] { second.finish(); });
    }
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t i = 0; i < items; ++i) {
        wanted.push_back(spin_result(i, rounds));
    }
    check_same(seen, wanted);
}

} // namespace vulkan_submit_test
