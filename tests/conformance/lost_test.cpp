// SPDX-License-Identifier: Apache-2.0
// Tests of devices that are lost permanently, and of the devices lost together with them.
#include "check.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lost_test {

using namespace conformance;
using ferry::Code;

namespace {

/// Whether a kernel that writes to null loses the device. AMD's runtime ends the process instead.
bool null_loses(const ferry::Device& device) {
    return (device.backend() == ferry::Backend::cuda && !is_double(device)) ||
           device.info().architecture == "gfx000" || // HIP on CUDA
           (device.info().platform == "NVIDIA CUDA" &&
            device.info().kind == ferry::DeviceKind::gpu); // OpenCL
}

/// With CUDA and NVIDIA's OpenCL, one lost device makes all devices of the process lost.
bool gives_up_together(const ferry::Device& lost, const ferry::Device& other) {
    return null_loses(lost) && lost != other && lost.backend() == other.backend() &&
           lost.info().platform == other.info().platform;
}

/// The same in lose_others(), where the stand-in can simulate it.
bool is_lost_with(const ferry::Device& lost, const ferry::Device& other) {
    return gives_up_together(lost, other) || (is_double(lost) && is_double(other) && lost != other);
}

/// A launch that loses the device, and the text of its error.
struct Losing {
    const char* submit = "late@1"; ///< On the stand-in of Vulkan.
    std::uint32_t line = 0;

    void enqueue(ferry::Queue& queue, const ferry::Kernel& add, ferry::View<std::uint32_t> data) {
        if (is_double(queue.device())) {
            inject(queue.device(), "kernel:add:719"); // hipErrorLaunchFailure
        } else if (is_vulkan_double(queue.device())) {
            lose_at_submit(queue.device(), submit);
        } else {
            data = {};
        }
        queue.launch(add, {3, 8}, data, 24U, 4711U);
        line = __LINE__ - 1;
    }
    bool names(const std::optional<ferry::Error>& error) const {
        if (!error || error->code() != Code::device_lost || error->where().line() != line) {
            return false;
        }
        const std::string text = error->what();
        return std::ranges::all_of(
            std::vector<std::string>{"add", "3x1x1", "8x1x1", "24", "4711",
                                     "lost_test.cpp:" + std::to_string(line)},
            [&](const std::string& word) { return text.find(word) != std::string::npos; });
    }
};

/// Runs in a separate process, because the device is lost for the whole process. Returns the number of the
/// failed step.
int lose_device_by(const ferry::Device& device, Losing launch) {
    const auto lost = [](const std::function<void()>& call) {
        const std::optional<ferry::Error> error = error_of(call);
        return error && error->code() == Code::device_lost;
    };
    ferry::Queue queue{device};
    ferry::Queue other{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    const ferry::Kernel add = kernel(device, "add");
    queue.finish();
    launch.enqueue(queue, add, data);
    std::optional<ferry::Event> after;
    std::optional<ferry::Error> called;
    bool calls = false;
    // A device that has already failed refuses to record.
    const auto first = error_of([&] {
        after = queue.record();
        queue.on_complete([&](const ferry::Status& status) {
            if (!status.ok()) {
                called = *status.error();
            }
        });
        calls = true;
        after->wait();
    });
    const auto again = after ? error_of([&] { after->wait(); }) : first;
    if (!launch.names(first) || !launch.names(again)) {
        for (const auto& error : {first, again}) { // printed if the test fails
            std::fprintf(stderr, "%s: %s\n",
                         error ? std::string(ferry::to_string(error->code())).c_str() : "none",
                         error ? error->what() : "");
        }
        return 1;
    }
    if (!launch.names(error_of([&] { queue.finish(); })) || (calls && !launch.names(called))) {
        return 6;
    }
    if (is_double(device)) {
        inject(device, ""); // a lost device stays lost
    }
    if (!lost([&] { queue.fill(data, 1U); }) || !lost([&] { queue.finish(); })) {
        return 2;
    }
    if (!lost([&] { other.fill(data, 1U); }) || !lost([&] { const ferry::Queue third{device}; }) ||
        !lost([&] { const ferry::Buffer<int> more(device, 10); })) {
        return 3;
    }
    int others = 0;
    for (const ferry::Device& elsewhere : ferry::all_devices()) { // includes the host
        if (elsewhere == device || gives_up_together(device, elsewhere)) {
            continue;
        }
        ++others;
        ferry::Queue their_queue{elsewhere};
        ferry::Buffer<std::uint32_t> their_data{elsewhere, 24};
        their_queue.fill(their_data, 6U);
        their_queue.launch(kernel(elsewhere, "add"), {3, 8}, their_data, 24U, 4U);
        if (their_queue.read(their_data) != std::vector<std::uint32_t>(24, 10U)) {
            return 4;
        }
    }
    if (others == 0) {
        return 5;
    }
    return 0;
}

int lose_device(const ferry::Device& device) {
    return lose_device_by(device, {});
}

int lose_device_at_submit(const ferry::Device& device) {
    return lose_device_by(device, {.submit = "lost@1"});
}

const ChildRegistration registration("lose_device", lose_device);
const ChildRegistration submit_registration("lose_device_at_submit", lose_device_at_submit);

/// The launch before the loss has ended, and nobody has asked for it. The one after it does not run.
int print_before_loss(const ferry::Device& device) {
    const ferry::Program program(device, "kernel void print(uint n) { printf(\"launch %u\\n\", n); }");
    ferry::Queue queue{device};
    queue.launch(program.kernel("print"), {1, 1}, 1U);
    queue.flush();
    lose_at_submit(device, "late@1");
    queue.launch(program.kernel("print"), {1, 1}, 2U);
    const std::optional<ferry::Error> error = error_of([&] { queue.finish(); });
    return error && error->code() == Code::device_lost ? 0 : 1;
}

const ChildRegistration print_registration("print_before_loss", print_before_loss);

/// All devices that the driver loses together with `device` must report it, used before or not, and name the
/// launch.
int lose_others(const ferry::Device& device) {
    std::vector<ferry::Device> others;
    for (const ferry::Device& other : ferry::all_devices()) {
        if (is_lost_with(device, other)) {
            others.push_back(other);
        }
    }
    if (others.empty()) {
        return 1;
    }
    ferry::Queue used{others.front()};
    ferry::Buffer<std::uint32_t> their_data{others.front(), 24};
    used.fill(their_data, 6U);
    used.finish();
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    const ferry::Kernel add = kernel(device, "add");
    queue.finish();
    Losing launch;
    launch.enqueue(queue, add, data);
    if (is_double(device)) {
        inject(device, "kernel:add:719,hipMemGetInfo:719"); // of the other devices
    }
    if (!launch.names(error_of([&] { queue.finish(); }))) {
        return 2;
    }
    if (is_double(device)) {
        inject(device, "");
    }
    const auto tells = [&](const std::function<void()>& call) {
        const std::optional<ferry::Error> error = error_of(call);
        const std::string text = error ? error->what() : "";
        return error && error->code() == Code::device_lost &&
               text.find("The driver gave it up together with " + device.id()) != std::string::npos &&
               text.find("kernel 'add'") != std::string::npos;
    };
    for (const ferry::Device& other : others) {
        if (!tells([&] { const ferry::Queue more{other}; }) ||
            !tells([&] { const ferry::Buffer<int> more(other, 10); })) {
            return 3;
        }
    }
    return tells([&] { used.fill(their_data, 7U); }) && tells([&] { used.finish(); }) ? 0 : 4;
}

const ChildRegistration others_registration("lose_others", lose_others);

} // namespace

FERRY_TEST(
    "error: a lost device is named, is lost for good, and only those are that the driver gives up with it") {
    if (!is_double(device) && !is_vulkan_double(device) && !null_loses(device)) {
        throw ferry::Error(Code::unsupported, "Device " + device.id() + " is not lost by a kernel's fault.");
    }
    check_child("lose_device", device, 0);
    if (is_vulkan_double(device)) {
        check_child("lose_device_at_submit", device, 0);
        check_child("print_before_loss", device, 0);
        CHECK(child_output("print_before_loss", device) == "launch 1\n");
    }
    const auto others = devices_other_than(device);
    if (std::ranges::any_of(others,
                            [&](const ferry::Device& other) { return is_lost_with(device, other); })) {
        check_child("lose_others", device, 0);
    }
}

} // namespace lost_test
