// SPDX-License-Identifier: Apache-2.0
// Checks that launches and copies that were done before do not allocate on the heap.
#include "devices.hpp"
#include "heap_count.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <memory>
#include <vector>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

using namespace conformance;

namespace {

constexpr std::uint32_t size = 1024;

/// Runs `step` until all caches have grown, then counts allocations. The amount kept for reuse depends on how
/// far the device was ever behind, and so on scheduling; therefore several windows are tried. An allocation
/// in each step shows in all of them.
template <class Step>
void check_steady(ferry::Queue& queue, Step step) {
    constexpr int before_a_wait = 16;
    const auto run = [&](int rounds) {
        for (int i = 0; i < rounds; ++i) {
            for (int k = 0; k < before_a_wait; ++k) {
                step();
            }
            queue.finish();
        }
    };
    run(30);
    unsigned long allocations = 1;
    for (int window = 0; window < 10 && allocations != 0; ++window) {
        HeapCount count;
        run(50);
        allocations = count.stop();
    }
    CHECK_MESSAGE(allocations == 0, allocations, " allocations in ", 50 * before_a_wait, " rounds\n",
                  HeapCount::describe());
}

} // namespace

FERRY_TEST("heap: the counter sees an allocation") {
    HeapCount count;
    const auto number = std::make_unique<int>(3);
    std::vector<int> numbers(*number == 3 ? 100 : 1000);
    CHECK(count.stop() == 2);
    CHECK(numbers.size() == 100);
}

FERRY_TEST("heap: launches") {
    ferry::Queue queue{device};
    const ferry::Kernel stir = kernel(device, "stir");
    const ferry::Kernel reverse = kernel(device, "reverse_groups");
    ferry::Buffer<std::uint32_t> a{device, size};
    ferry::Buffer<std::uint32_t> b{device, size};
    check_steady(queue, [&] { queue.launch(stir, {size / 64, 64}, a, size, 5U); });
    check_steady(queue, [&] { queue.launch(stir, {1, 64}, a.subview(256, 64), 64U, 5U); });
    check_steady(queue, [&] {
        queue.launch(reverse, {size / 64, 64}, a, b, ferry::local<std::uint32_t>(64));
    });
    const ferry::Program moved{
        device, "kernel void k(global uint* a) { ++a[get_global_id(0)]; }", {.global_offsets = true}};
    const ferry::Kernel count = moved.kernel("k");
    check_steady(queue, [&] { queue.launch(count, {1, 64, {64, 0, 0}}, a); });
}

FERRY_TEST("heap: copies between host and device") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> a{device, size};
    const auto data = random_values<std::uint32_t>(size);
    std::vector<std::uint32_t> back(size);
    check_steady(queue, [&] { queue.copy(data, a); });
    check_steady(queue, [&] { queue.copy(a, back); });
    CHECK(back == data);
    if (device.has(ferry::MemoryKind::host)) {
        ferry::Buffer<std::uint32_t> pinned{device, size, ferry::MemoryKind::host};
        check_steady(queue, [&] { queue.copy(pinned, a); });
        check_steady(queue, [&] { queue.copy(a, pinned); });
    }
}

FERRY_TEST("heap: copies and fills on the device") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> a{device, size};
    ferry::Buffer<std::uint32_t> b{device, size};
    check_steady(queue, [&] { queue.copy(a, b); });
    check_steady(queue, [&] { queue.copy(a.first(100), b.last(100)); });
    check_steady(queue, [&] { queue.fill(a, 3U); });
    ferry::Buffer<std::uint64_t> wide{device, size};
    check_steady(queue, [&] { queue.fill(wide, std::uint64_t{3}); });
}

FERRY_TEST("heap: boxes, batches, and fills of any pattern") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> a{device, size};
    ferry::Buffer<std::uint32_t> b{device, size};
    std::vector<std::uint32_t> host(size);
    const ferry::Box from{a, {16, 30}, {.row = 128}};
    const ferry::Box to{b, {16, 10, 3}, {.row = 68}};
    check_steady(queue, [&] { queue.copy(from.sub({}, {10, 10}), to.sub({}, {10, 10})); });
    check_steady(queue, [&] { queue.copy(ferry::HostBox{host, {16, 10, 3}}, to); });
    check_steady(queue, [&] { queue.copy(from, ferry::HostBox{host, {16, 30}}); });
    ferry::Batch batch;
    check_steady(queue, [&] {
        batch.clear();
        for (std::size_t i = 0; i < 20; ++i) {
            batch.copy(a.subview(i * 40, 30), b.subview(i * 31, 30));
        }
        queue.copy(batch);
    });
    check_steady(queue, [&] { // enough copies to use the device's own kernel
        batch.clear();
        for (std::size_t i = 0; i < 22; ++i) {
            batch.copy(std::span(host).subspan(i * 12, 3), a.subview(i * 12, 3));
            batch.copy(a.subview(i * 12 + 3, 3), b.subview(i * 11, 3));
            batch.copy(b.subview(i * 11 + 3, 3), std::span(host).subspan(i * 12 + 3, 3));
        }
        queue.copy(batch);
    });
    std::vector<std::byte> pattern(12);
    pattern[3] = std::byte{1};
    check_steady(queue, [&] { queue.fill_bytes(a.first(300), pattern); });
}

FERRY_TEST("heap: replays and changed arguments") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> a{device, size};
    ferry::Buffer<std::uint32_t> b{device, size};
    ferry::Step step;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   record.fill(a, 3U);
                                   step = record.launch(kernel(device, "stir"), {size / 64, 64}, a, size, 5U);
                                   record.copy(a, b);
                               }};
    if (device.backend() != ferry::Backend::hip && device.backend() != ferry::Backend::cuda) {
        check_steady(queue, [&] { queue.replay(recording); }); // the driver may allocate for a graph
    }
    const ferry::Recording list{device, [&](ferry::Recorder& record) {
                                    record.launch(kernel(device, "stir"), {size / 64, 64}, a, size, 5U);
                                }};
    check_steady(queue, [&] { queue.replay(list); });
    std::uint32_t value = 0;
    if (device.backend() != ferry::Backend::hip && device.backend() != ferry::Backend::cuda) {
        check_steady(queue, [&] { recording.set(step, 2, ++value); });
    }
}

FERRY_TEST("heap: events and waits") {
    ferry::Queue queue{device};
    ferry::Queue other{device};
    check_steady(queue, [&] { (void)queue.record(); });
    check_steady(queue, [&] {
        other.wait(queue.record());
        queue.wait(other.record());
    });
    check_steady(queue, [&] { queue.record().wait(); });
}

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    return announce_devices() ? context.run() : 1;
}
