// SPDX-License-Identifier: Apache-2.0
#include <ferry/ferry.hpp>
#include <ferry/host_kernel.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

void fail(const ferry::HostGroup&) {
    throw std::runtime_error("on purpose");
}

void finish(ferry::Queue& queue) {
    CHECK_THROWS_AS(queue.finish(), ferry::Error);
}

} // namespace

TEST_CASE("event: a reported failure is not cleared by a later failure") {
    const ferry::Device device = ferry::find_device("host:0");
    static const ferry::HostKernel functions[] = {ferry::host_kernel<fail>("fail")};
    const ferry::Program program{device, ferry::Source::host(functions)};
    const ferry::Kernel kernel = program.kernel("fail");
    ferry::Queue queue{device, {.wait = ferry::WaitPolicy::block}};
    int well = 0;
    for (int round = 0; round < 1500; ++round) { // the critical moment occurred in one of 60 to 400 rounds
        queue.launch(kernel, {1, 1});
        const ferry::Event event = queue.record();
        std::atomic<bool> waits{false};
        bool ok = true;
        std::thread other([&] {
            waits = true;
            ok = event.status().ok();
        });
        while (!waits) {
        }
        finish(queue);
        queue.launch(kernel, {1, 1});
        finish(queue);
        other.join();
        well += ok ? 1 : 0;
    }
    CHECK(well == 0);
}
