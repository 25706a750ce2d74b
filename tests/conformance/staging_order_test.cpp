// SPDX-License-Identifier: Apache-2.0
// Copies through page-locked slots read host memory on host threads, and keep their order in the queue.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "pages.hpp"
#include "random.hpp"
#include "staged.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace staging_order_test {

using namespace conformance;

namespace {

constexpr std::size_t size = 5 * Staged::slot / sizeof(std::uint32_t);
constexpr std::uint32_t spins = 20'000;

/// The driver makes copies down. Copies up use slots on devices that gain from them.
struct UpOnly {
    const Staged staged{"auto"};
    UpOnly() {
        ferry::detail::staging::tuning().upload_above = 2 * Staged::slot;
        ferry::detail::staging::tuning().download_above = 100 * Staged::slot;
    }
};

/// Work that keeps a queue busy.
class Busy {
public:
    explicit Busy(const ferry::Device& device) : spin_(kernel(device, "spin")), buffer_(device, 1024) {}
    void hold(ferry::Queue& queue) { queue.launch(spin_, {16, 64}, buffer_, spins); }

private:
    ferry::Kernel spin_;
    ferry::Buffer<std::uint32_t> buffer_;
};

} // namespace

FERRY_TEST("staging order: a copy up reads the result of an earlier copy down") {
    const UpOnly up_only;
    ferry::Queue first{device};
    ferry::Queue second{device};
    Busy busy{device};
    ferry::Buffer<std::uint32_t> a{device, size};
    ferry::Buffer<std::uint32_t> b{device, size};
    std::vector<std::uint32_t> host(size);
    first.copy_and_wait(host, b); // creates the slots
    const std::uint64_t before = ferry::staging_info(device).copies;
    std::uint32_t value = random_values<std::uint32_t>(1)[0];
    for (int round = 0; round < 12; ++round) {
        const bool by_event = round % 3 == 1;
        INFO("round ", round);
        std::fill(host.begin(), host.end(), 0xdeadbeefU);
        busy.hold(first);
        first.fill(a, ++value);
        if (round % 3 == 2) {
            const ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                                 record.copy(a, std::span(host));
                                                 record.copy(std::span(host), b);
                                             }};
            first.replay(recording);
            first.finish();
        } else {
            first.copy(a, host);
            ferry::Queue& queue = by_event ? second : first;
            if (by_event) {
                queue.wait(first.record());
            }
            queue.copy(host, b);
            queue.finish();
        }
        check_same(first.read(b), std::vector<std::uint32_t>(size, value));
    }
    const std::string backend(to_string(device.backend()));
    if (backend == "hip") {
        CHECK(ferry::staging_info(device).copies == before + 12);
    }
}

FERRY_TEST("staging order: a copy up reads the earlier writes of a kernel to imported memory") {
    const Staged staged;
    ferry::Queue queue{device};
    ferry::Queue second{device};
    Busy busy{device};
    const Pages pages{size * sizeof(std::uint32_t)};
    const std::span<std::uint32_t> host = pages.span();
    ferry::Buffer<std::uint32_t> buffer{device, size};
    const auto count = static_cast<std::uint32_t>(size);
    std::fill(host.begin(), host.end(), 0U);
    const ferry::Imported<std::uint32_t> imported{device, host};
    for (std::uint32_t round = 1; round <= 10; ++round) {
        INFO("round ", round);
        busy.hold(queue);
        queue.launch(kernel(device, "add"), ferry::Grid::covering(size, 32), imported, count, 1U);
        ferry::Queue& up = round % 2 == 0 ? second : queue;
        if (round % 2 == 0) {
            up.wait(queue.record());
        }
        up.copy(host, buffer);
        check_same(up.read(buffer), std::vector<std::uint32_t>(size, round));
    }
}

} // namespace staging_order_test
