// SPDX-License-Identifier: Apache-2.0
// Kernel::prepare(): launches that are made in advance.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "vulkan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace prepare_test {

using namespace conformance;
using ferry::Code;
using ferry::Grid;

namespace {

/// The pipelines of a kernel on Vulkan, otherwise 0.
std::size_t pipelines(const ferry::Kernel& kernel) {
    return kernel.device().backend() == ferry::Backend::vulkan ? vulkan_entry(kernel).pipelines() : 0;
}

} // namespace

FERRY_TEST("prepare: launches are right after it, and need nothing more") {
    ferry::Queue queue{device};
    const ferry::Kernel reverse = kernel(device, "reverse_groups");
    const auto values = random_values<std::uint32_t>(256);
    ferry::Buffer<std::uint32_t> in{device, 256};
    queue.copy(values, in);
    for (const std::uint32_t group : {64U, 8U, 32U}) {
        const std::array<std::size_t, 1> bytes{group * sizeof(std::uint32_t)};
        reverse.prepare({256 / group, group}, bytes);
        const std::size_t made = pipelines(reverse);
        reverse.prepare({1, group}, bytes); // The number of groups has no effect.
        ferry::Buffer<std::uint32_t> out{device, 256};
        queue.fill(out, 0xa5a5a5a5U);
        queue.launch(kernel(device, "reverse_groups"), {256 / group, group}, in, out,
                     ferry::local<std::uint32_t>(group));
        const auto got = queue.read(out);
        for (std::uint32_t i = 0; i < 256; ++i) {
            REQUIRE(got[i] == values[i / group * group + (group - 1 - i % group)]);
        }
        CHECK(pipelines(reverse) == made);
    }
}

FERRY_TEST("prepare: a grid that covers items gets the group size of its launch") {
    ferry::Queue queue{device};
    const ferry::Program program{device, sources()}; // So that no other test has prepared it.
    const ferry::Kernel add = program.kernel("add");
    constexpr std::uint32_t count = 1009;
    ferry::Buffer<std::uint32_t> buffer{device, count};
    queue.fill(buffer, 5U);
    add.prepare(Grid::covering(count));
    const std::size_t made = pipelines(add);
    CHECK((made == 1 || device.backend() != ferry::Backend::vulkan));
    queue.launch(add, Grid::covering(count), buffer, count, 7U);
    check_same(queue.read(buffer), std::vector<std::uint32_t>(count, 12U));
    CHECK(pipelines(add) == made);
}

FERRY_TEST("prepare: a recording prepares its launches, also one that is a list") {
    ferry::Queue queue{device};
    constexpr std::uint32_t count = 1009;
    ferry::Buffer<std::uint32_t> buffer{device, count};
    auto host = random_values<std::uint32_t>(count);
    for (const bool has_host_memory : {false, true}) {
        const ferry::Program program{device, sources()};
        const ferry::Kernel add = program.kernel("add");
        queue.fill(buffer, 5U);
        ferry::Step step;
        ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                       if (has_host_memory) {
                                           record.copy(host, buffer);
                                       }
                                       step =
                                           record.launch(add, Grid::covering(count, 32), buffer, count, 3U);
                                       record.launch(add, Grid::covering(count, 16), buffer, count, 4U);
                                   }};
        INFO(recording.explain());
        recording.set_grid(step, Grid::covering(count, 8));
        const std::size_t made = pipelines(add);
        CHECK((made == 3 || device.backend() != ferry::Backend::vulkan));
        queue.replay(recording);
        const auto got = queue.read(buffer);
        for (std::uint32_t i = 0; i < count; ++i) {
            REQUIRE(got[i] == (has_host_memory ? host[i] : 5U) + 7U);
        }
        CHECK(pipelines(add) == made);
    }
}

FERRY_TEST("prepare: refuses what a launch would refuse") {
    const ferry::DeviceInfo& info = device.info();
    const ferry::Kernel add = kernel(device, "add");
    const ferry::Kernel locals = kernel(device, "two_locals");
    expect_error(Code::invalid_state, {"kernel is empty"}, [&] { ferry::Kernel().prepare({1, 1}); });
    expect_error(Code::invalid_argument, {"work-items"}, [&] { add.prepare({1, info.max_group_size + 1}); });
    expect_error(Code::invalid_argument, {"at least 1"}, [&] { add.prepare({1, 0}); });
    const std::array<std::size_t, 2> both{64, 256};
    locals.prepare({4, 64}, both);
    const std::array<std::size_t, 2> empty{64, 0};
    expect_error(Code::invalid_argument, {"zero bytes", "'two_locals'"}, [&] {
        locals.prepare({4, 64}, empty);
    });
    if (info.local_memory != 0) {
        const std::array<std::size_t, 2> large{64, info.local_memory};
        expect_error(Code::invalid_argument, {"local memory", "'two_locals'"}, [&] {
            locals.prepare({4, 64}, large);
        });
    }
    const std::vector<ferry::ParameterInfo>& parameters = locals.info().parameters;
    if (std::any_of(parameters.begin(), parameters.end(),
                    [](const auto& p) { return p.kind == ferry::ParameterKind::local; })) {
        expect_error(Code::invalid_argument, {"sizes for 2 local parameters", "1 were given"}, [&] {
            locals.prepare({4, 64}, std::span(both).first(1));
        });
    }
}

} // namespace prepare_test
