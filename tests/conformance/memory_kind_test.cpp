// SPDX-License-Identifier: Apache-2.0
#include "beside.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace memory_kind_test {

using namespace conformance;
using ferry::Code;
using ferry::MemoryKind;

namespace {

constexpr std::uint32_t size = 4099;

std::vector<std::uint32_t> contents(const ferry::Buffer<std::uint32_t>& buffer) {
    return {buffer.span().begin(), buffer.span().end()};
}

void check_span(const ferry::Device& device, MemoryKind kind) {
    ferry::Buffer<std::uint32_t> buffer{device, size, kind};
    CHECK(buffer.kind() == kind);
    CHECK(buffer.span().size() == size);
    auto model = random_values<std::uint32_t>(size);
    ferry::Queue queue{device};
    std::copy(model.begin(), model.end(), buffer.span().begin());
    for (std::uint32_t round = 0; round < 10; ++round) {
        queue.launch(kernel(device, "stir"), ferry::Grid::covering(size, 64), buffer, size, round);
        queue.finish();
        for (std::uint32_t i = 0; i < size; ++i) {
            model[i] = stir_result(model[i], i, round);
        }
        check_same(contents(buffer), model);
        buffer.span()[round] = round; // the next launch sees this write of the host
        model[round] = round;
    }
}

void check_copies(const ferry::Device& device, MemoryKind kind) {
    ferry::Queue queue{device};
    for (const MemoryKind other : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        if (!device.has(other)) {
            continue;
        }
        INFO("with kind ", std::string(ferry::to_string(other)));
        const auto data = random_values<std::uint32_t>(size);
        ferry::Buffer<std::uint32_t> a{device, size, kind};
        ferry::Buffer<std::uint32_t> b{device, size, other};
        ferry::Buffer<std::uint32_t> c{device, size, kind};
        queue.copy(data, a);
        queue.copy(a, b);
        queue.fill(c, 0U);
        queue.copy(b.subview(3, 1000), c.subview(77, 1000));
        queue.finish();
        check_same(queue.read(b), data);
        std::vector<std::uint32_t> wanted(size, 0U);
        std::copy_n(data.begin() + 3, 1000, wanted.begin() + 77);
        check_same(contents(c), wanted);
    }
}

void check_views(const ferry::Device& device, MemoryKind kind) {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, size, kind};
    for (const std::size_t offset : {1U, 32U, 1000U}) {
        const auto count = static_cast<std::uint32_t>(1 + random_below(2000));
        std::fill(buffer.span().begin(), buffer.span().end(), 1U);
        queue.launch(kernel(device, "add"), ferry::Grid::covering(count, 50), buffer.subview(offset, count),
                     count, 6U);
        queue.finish();
        std::vector<std::uint32_t> wanted(size, 1U);
        std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(offset), count, 7U);
        check_same(contents(buffer), wanted);
    }
}

void check_maps(const ferry::Device& device, MemoryKind kind) {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, size, kind};
    queue.fill(buffer, 5U);
    {
        auto mapping = buffer.subview(10, 20).map(queue, ferry::Map::read_write);
        CHECK(mapping[0] == 5);
        std::fill(mapping.begin(), mapping.end(), 6U);
    }
    queue.launch(kernel(device, "add"), ferry::Grid::covering(size, 64), buffer, size, 1U);
    queue.finish();
    std::vector<std::uint32_t> wanted(size, 6U);
    std::fill_n(wanted.begin() + 10, 20, 7U);
    check_same(contents(buffer), wanted);
}

void check_count(const ferry::Device& device, MemoryKind kind) {
    const Unchanged unchanged{device};
    const std::uint64_t before = device.memory().used_here;
    const ferry::Buffer<std::uint8_t> buffer{device, 1 << 20, kind};
    CHECK(device.memory().used_here >= before + (1 << 20));
    const std::uint64_t too_much = device.info().total_memory * 64;
    expect_error(Code::out_of_memory, {std::to_string(too_much)}, [&] {
        const ferry::Buffer<std::uint8_t> huge(device, static_cast<std::size_t>(too_much), kind);
    });
}

void check_freed_in_flight(const ferry::Device& device, MemoryKind kind) {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> result{device, size};
    for (std::uint32_t round = 0; round < 10; ++round) {
        {
            ferry::Buffer<std::uint32_t> passing{device, size, kind};
            queue.launch(kernel(device, "iota"), ferry::Grid::covering(size, 64), passing, size, round);
            queue.copy(passing, result);
        }
        CHECK(queue.read(result).back() == size - 1 + round);
    }
}

} // namespace

FERRY_TEST("memory kind host: the host sees it, and so do kernels") {
    check_span(device, MemoryKind::host);
}
FERRY_TEST("memory kind shared: the host sees it, and so do kernels") {
    check_span(device, MemoryKind::shared);
}
FERRY_TEST("memory kind host: copies to and from every kind") {
    check_copies(device, MemoryKind::host);
}
FERRY_TEST("memory kind shared: copies to and from every kind") {
    check_copies(device, MemoryKind::shared);
}
FERRY_TEST("memory kind host: parts of it reach kernels") {
    check_views(device, MemoryKind::host);
}
FERRY_TEST("memory kind shared: parts of it reach kernels") {
    check_views(device, MemoryKind::shared);
}
FERRY_TEST("memory kind host: it can be mapped") {
    check_maps(device, MemoryKind::host);
}
FERRY_TEST("memory kind shared: it can be mapped") {
    check_maps(device, MemoryKind::shared);
}
FERRY_TEST("memory kind host: the host writes to bytes that no command uses while a kernel uses the others") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 1 << 14, MemoryKind::host};
    const std::span<std::uint32_t> words = buffer.span();
    check_beside(
        queue, words, [&](std::size_t first) { return buffer.subview(first, words.size() / 2); },
        [&](std::size_t first, std::uint32_t number) {
            std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(first), words.size() / 2, number);
        });
}
FERRY_TEST("memory kind host: it is counted, and too much is refused") {
    check_count(device, MemoryKind::host);
}
FERRY_TEST("memory kind shared: it is counted, and too much is refused") {
    check_count(device, MemoryKind::shared);
}
FERRY_TEST("memory kind host: destroyed while in use") {
    check_freed_in_flight(device, MemoryKind::host);
}
FERRY_TEST("memory kind shared: destroyed while in use") {
    check_freed_in_flight(device, MemoryKind::shared);
}

FERRY_TEST("memory kind: has() agrees with the info, and a missing kind is refused") {
    CHECK(device.has(MemoryKind::device));
    CHECK(device.has(MemoryKind::host) == device.info().host_memory);
    CHECK(device.has(MemoryKind::shared) == device.info().shared_memory);
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
        if (!device.has(kind)) {
            expect_error(Code::unsupported, {std::string(ferry::to_string(kind)), device.id()},
                         [&] { const ferry::Buffer<int> buffer(device, 10, kind); });
        }
    }
    check_still_works(device);
}

FERRY_TEST("memory kind: two kernels on one buffer of each kind, without the host in between") {
    ferry::Queue queue{device};
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        if (!device.has(kind)) {
            continue;
        }
        ferry::Buffer<std::uint32_t> buffer{device, size, kind};
        queue.launch(kernel(device, "iota"), ferry::Grid::covering(size, 64), buffer, size, 1U);
        queue.launch(kernel(device, "stir"), ferry::Grid::covering(size, 64), buffer, size, 9U);
        std::vector<std::uint32_t> wanted(size);
        for (std::uint32_t i = 0; i < size; ++i) {
            wanted[i] = stir_result(1 + i, i, 9);
        }
        check_same(queue.read(buffer), wanted);
    }
}

FERRY_TEST("memory kind: kernels of several queues read one buffer at the same time") {
    const ferry::Kernel combine = kernel(device, "combine");
    const auto parameters = combine.parameters();
    if (std::getenv("FERRY_CHECK") != nullptr && (parameters.empty() || !parameters[0].read_only)) {
        return; // if it is unknown that a kernel only reads, the check must assume that it writes
    }
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        if (!device.has(kind)) {
            continue;
        }
        INFO(std::string(ferry::to_string(kind)));
        ferry::Buffer<std::uint32_t> data{device, size, kind};
        std::vector<ferry::Queue> queues;
        std::vector<ferry::Buffer<std::uint32_t>> sums;
        for (int i = 0; i < 3; ++i) {
            queues.emplace_back(device);
            sums.emplace_back(device, size);
            queues.back().fill(sums.back(), 0xDEADBEEFU);
        }
        const auto model = random_values<std::uint32_t>(size);
        queues[0].copy_and_wait(model, data);
        for (int round = 0; round < 50; ++round) { // without any wait in between
            for (std::size_t i = 0; i < queues.size(); ++i) {
                queues[i].launch(combine, ferry::Grid::covering(size, 64), data, data, sums[i], size);
            }
        }
        std::vector<std::uint32_t> wanted(size);
        std::transform(model.begin(), model.end(), wanted.begin(), [](std::uint32_t v) { return v * 4; });
        for (std::size_t i = 0; i < queues.size(); ++i) {
            queues[i].finish();
            check_same(queues[i].read(sums[i]), wanted);
        }
    }
}

} // namespace memory_kind_test
