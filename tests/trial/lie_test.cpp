// SPDX-License-Identifier: Apache-2.0
// Skipped but in a test of its own (CMakeLists.txt), on a device that lies: FERRY_DOUBLE_LIE=registered.
#include "trial_fixture.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace ferry;
using namespace trial_test;

TEST_CASE_FIXTURE(Fixture, "lie: what is declared and measures false is used as false" * doctest::skip()) {
    const MemoryCapabilities declared = device.capabilities(MemoryKind::imported, Probe::declared);
    REQUIRE(declared.available);
    CHECK(declared.reach.value >= Reach::link);
    const MemoryCapabilities measured = measured_until(
        MemoryKind::imported, [](const MemoryCapabilities& facts) { return !facts.reach.declared.empty(); });
    CHECK(measured.reach.value == Reach::none);
    CHECK(measured.reach.confidence == Confidence::measured);
    CHECK(measured.reach.declared == declared.reach.source);

    // What was measured decides: by itself, and against what is asked for.
    Queue queue(device);
    const Kernel kernel = Program(device, Source::opencl_c("__kernel void up(__global uint* data, uint n) {"
                                                           " uint i = get_global_id(0);"
                                                           " if (i < n) data[i] = data[i] * 3u + i; }"))
                              .kernel("up");
    for (const std::size_t count : {std::size_t{1021}, std::size_t{70'001}, std::size_t{2'000'003}}) {
        std::vector<std::uint32_t> data(count);
        for (std::size_t i = 0; i < count; ++i) {
            data[i] = static_cast<std::uint32_t>(i * 2654435761U);
        }
        std::vector<std::uint32_t> wanted = data;
        for (std::size_t i = 0; i < count; ++i) {
            wanted[i] = wanted[i] * 3 + static_cast<std::uint32_t>(i);
        }
        {
            auto shared = share(device, data, Access::device_updates);
            const Explanation why = shared.explain();
            CHECK((why.taken == Placement::copy || why.taken == Placement::stage));
            queue.launch(kernel, Grid::covering(count, 64), shared, static_cast<std::uint32_t>(count));
        }
        CHECK(data == wanted);
        for (const Placement placement : {Placement::alias, Placement::link, Placement::migrate}) {
            CHECK_THROWS_AS(
                static_cast<void>(share(device, data, Access::device_updates, {.allowed = placement})),
                Error);
        }
    }
}
