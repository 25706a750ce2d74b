// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <vector>

using namespace conformance;
using ferry::Code;

FERRY_TEST("copy: host to device to host, many sizes") {
    ferry::Queue queue{device};
    for (const std::size_t size : odd_sizes) {
        const auto data = random_values<std::uint32_t>(size);
        auto back = poison<std::uint32_t>(size);
        ferry::Buffer<std::uint32_t> buffer{device, size};
        queue.copy(data, buffer);
        queue.copy(buffer, back);
        queue.finish();
        check_same(back, data);
    }
}

FERRY_TEST("copy: on the device, at odd offsets, touches nothing else") {
    ferry::Queue queue{device};
    const std::size_t size = 4099;
    for (int round = 0; round < 25; ++round) {
        const auto from = random_values<std::uint8_t>(size);
        auto wanted = random_values<std::uint8_t>(size);
        ferry::Buffer<std::uint8_t> a{device, size};
        ferry::Buffer<std::uint8_t> b{device, size};
        queue.copy(from, a);
        queue.copy_and_wait(wanted, b); // blocks, because the source changes below
        const std::size_t count = 1 + random_below(size);
        const std::size_t source = random_below(size - count + 1);
        const std::size_t target = random_below(size - count + 1);
        queue.copy(a.subview(source, count), b.subview(target, count));
        for (std::size_t i = 0; i < count; ++i) {
            wanted[target + i] = from[source + i];
        }
        INFO("count ", count, ", from ", source, " to ", target);
        check_same(queue.read(b), wanted);
        check_same(queue.read(a), from);
    }
}

FERRY_TEST("copy: parts of host ranges and of buffers") {
    ferry::Queue queue{device};
    const std::size_t size = 3001;
    for (int round = 0; round < 25; ++round) {
        const auto data = random_values<std::uint16_t>(size);
        auto wanted = random_values<std::uint16_t>(size);
        ferry::Buffer<std::uint16_t> buffer{device, size};
        queue.copy_and_wait(wanted, buffer); // blocks, because the source changes below
        const std::size_t count = 1 + random_below(size);
        const std::size_t source = random_below(size - count + 1);
        const std::size_t target = random_below(size - count + 1);
        queue.copy(std::span(data).subspan(source, count), buffer.subview(target, count));
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(source), count,
                    wanted.begin() + static_cast<std::ptrdiff_t>(target));
        auto back = poison<std::uint16_t>(size);
        queue.copy_and_wait(buffer.subview(target, count), std::span(back).subspan(source, count));
        for (std::size_t i = 0; i < size; ++i) {
            const bool inside = i >= source && i < source + count;
            REQUIRE(back[i] == (inside ? data[i] : 0xa5a5));
        }
        check_same(queue.read(buffer), wanted);
    }
}

FERRY_TEST("copy: inside one buffer, ranges that touch but do not overlap") {
    ferry::Queue queue{device};
    auto data = random_values<std::uint32_t>(200);
    ferry::Buffer<std::uint32_t> buffer{device, 200};
    queue.copy_and_wait(data, buffer); // blocks, because the source changes below
    queue.copy(buffer.subview(0, 100), buffer.subview(100, 100));
    std::copy_n(data.begin(), 100, data.begin() + 100);
    check_same(queue.read(buffer), data);
    queue.copy(buffer.subview(150, 50), buffer.subview(0, 50));
    std::copy_n(data.begin() + 150, 50, data.begin());
    check_same(queue.read(buffer), data);
}

FERRY_TEST("copy: commands of one queue run in order") {
    ferry::Queue queue{device};
    const std::size_t size = 20'011;
    ferry::Buffer<std::uint32_t> a{device, size};
    ferry::Buffer<std::uint32_t> b{device, size};
    auto model = random_values<std::uint32_t>(size);
    queue.copy_and_wait(model, a); // blocks, because the model changes below
    const ferry::Kernel stir = kernel(device, "stir");
    for (std::uint32_t round = 0; round < 12; ++round) {
        queue.launch(stir, ferry::Grid::covering(size, 128), a, static_cast<std::uint32_t>(size), round);
        queue.copy(a, b);
        queue.launch(stir, ferry::Grid::covering(size, 64), b, static_cast<std::uint32_t>(size), round * 7);
        queue.copy(b, a);
        for (std::uint32_t i = 0; i < size; ++i) {
            model[i] = stir_result(stir_result(model[i], i, round), i, round * 7);
        }
    }
    check_same(queue.read(a), model);
}

FERRY_TEST("copy: std::array, C arrays, vectors and spans as host ends") {
    ferry::Queue queue{device};
    ferry::Buffer<int> buffer{device, 4};
    const std::array<int, 4> first{1, 2, 3, 4};
    queue.copy(first, buffer);
    std::array<int, 4> seen{};
    queue.copy_and_wait(buffer, seen);
    CHECK(seen == first);
    const std::vector<int> second{5, 6, 7, 8};
    queue.copy_and_wait(std::span<const int>(second), buffer);
    CHECK(queue.read(buffer) == second);
}

FERRY_TEST("copy: zero elements are a no-op") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const auto data = random_values<std::uint32_t>(10);
    ferry::Buffer<std::uint32_t> buffer{device, 10};
    ferry::Buffer<std::uint32_t> none{device, 0};
    std::vector<std::uint32_t> nothing;
    queue.copy(data, buffer);
    queue.copy(nothing, none);
    queue.copy(none, nothing);
    queue.copy(none, buffer.first(0));
    queue.copy(buffer.first(0), nothing);
    queue.copy(buffer.last(0), buffer.first(0));
    check_same(queue.read(buffer), data);
}

FERRY_TEST("copy: different sizes are refused and nothing changes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    auto data = random_values<std::uint32_t>(10);
    ferry::Buffer<std::uint32_t> buffer{device, 10};
    ferry::Buffer<std::uint32_t> longer{device, 11};
    queue.copy_and_wait(data, buffer);
    expect_error(Code::invalid_argument, {"10", "11"}, [&] { queue.copy(buffer, longer); });
    expect_error(Code::invalid_argument, {"10", "11"}, [&] { queue.copy(data, longer); });
    expect_error(Code::invalid_argument, {"9", "10"}, [&] { queue.copy(buffer.first(9), data); });
    expect_error(Code::invalid_argument, {"10"}, [&] { queue.copy(ferry::View<std::uint32_t>{}, buffer); });
    check_same(queue.read(buffer), data);
}

FERRY_TEST("copy: overlapping ranges are refused and nothing changes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const auto data = random_values<std::uint32_t>(100);
    ferry::Buffer<std::uint32_t> buffer{device, 100};
    queue.copy_and_wait(data, buffer);
    expect_error(Code::invalid_argument, {"overlap"}, [&] { queue.copy(buffer.first(60), buffer.last(60)); });
    expect_error(Code::invalid_argument, {"overlap"}, [&] { queue.copy(buffer.last(51), buffer.first(51)); });
    expect_error(Code::invalid_argument, {"overlap"}, [&] { queue.copy(buffer, buffer); });
    check_same(queue.read(buffer), data);
}

FERRY_TEST("copy: a large one") {
    ferry::Queue queue{device};
    const std::size_t size = (24U << 20U) + 13;
    const auto data = random_values<std::uint64_t>(size / 8 + 1);
    ferry::Buffer<std::uint64_t> a{device, data.size()};
    ferry::Buffer<std::uint64_t> b{device, data.size()};
    queue.copy(data, a);
    queue.copy(a, b);
    check_same(queue.read(b), data);
}
