// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace conformance;
using ferry::Code;

FERRY_TEST("view: parts of parts are the right elements") {
    const auto data = random_values<std::uint16_t>(1009);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint16_t> buffer{device, data.size()};
    queue.copy(data, buffer);
    for (int round = 0; round < 30; ++round) {
        const std::size_t first = random_below(data.size());
        const std::size_t count = random_below(data.size() - first) + 1;
        const ferry::View<std::uint16_t> part = buffer.subview(first, count);
        CHECK(part.size() == count);
        CHECK(part.offset_bytes() == first * 2);
        const std::vector<std::uint16_t> wanted(data.begin() + static_cast<std::ptrdiff_t>(first),
                                                data.begin() + static_cast<std::ptrdiff_t>(first + count));
        check_same(queue.read(part), wanted);
        const std::size_t inner = random_below(count);
        check_same(
            queue.read(part.subview(inner)),
            std::vector<std::uint16_t>(wanted.begin() + static_cast<std::ptrdiff_t>(inner), wanted.end()));
        check_same(
            queue.read(part.last(count - inner)),
            std::vector<std::uint16_t>(wanted.begin() + static_cast<std::ptrdiff_t>(inner), wanted.end()));
        check_same(
            queue.read(part.first(inner)),
            std::vector<std::uint16_t>(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(inner)));
    }
}

FERRY_TEST("view: a kernel sees exactly its range, at any offset") {
    ferry::Queue queue{device};
    const ferry::Kernel combine = kernel(device, "combine");
    const std::size_t size = 700;
    const auto a = random_values<std::uint32_t>(size);
    const auto b = random_values<std::uint32_t>(size);
    ferry::Buffer<std::uint32_t> da{device, size};
    ferry::Buffer<std::uint32_t> db{device, size};
    ferry::Buffer<std::uint32_t> out{device, size};
    queue.copy(a, da);
    queue.copy(b, db);
    for (const std::size_t offset : {0U, 1U, 3U, 16U, 32U, 64U, 127U, 512U}) {
        const std::size_t count = 1 + random_below(size - offset);
        auto wanted = poison<std::uint32_t>(size);
        queue.copy_and_wait(wanted, out); // blocks, because the source changes below
        queue.launch(combine, ferry::Grid::covering(count, 37), da.subview(offset, count),
                     db.subview(size - count, count), out.subview(offset, count),
                     static_cast<std::uint32_t>(count));
        for (std::size_t i = 0; i < count; ++i) {
            wanted[offset + i] = a[offset + i] * 3 + b[size - count + i];
        }
        INFO("offset ", offset, ", count ", count);
        check_same(queue.read(out), wanted);
    }
}

FERRY_TEST("view: two views of one buffer in one launch") {
    ferry::Queue queue{device};
    const std::size_t half = 501;
    const auto data = random_values<std::uint32_t>(2 * half);
    ferry::Buffer<std::uint32_t> buffer{device, 2 * half};
    queue.copy(data, buffer);
    ferry::Buffer<std::uint32_t> out{device, half};
    queue.launch(kernel(device, "combine"), ferry::Grid::covering(half, 64), buffer.first(half),
                 buffer.last(half), out, static_cast<std::uint32_t>(half));
    std::vector<std::uint32_t> wanted(half);
    for (std::size_t i = 0; i < half; ++i) {
        wanted[i] = data[i] * 3 + data[half + i];
    }
    check_same(queue.read(out), wanted);
}

FERRY_TEST("view: ranges outside are refused, naming the numbers") {
    const Unchanged unchanged{device};
    ferry::Buffer<std::uint32_t> buffer{device, 100};
    const ferry::View<std::uint32_t> view = buffer.subview(20, 50);
    expect_error(Code::out_of_range, {"101", "100"}, [&] { (void)buffer.first(101); });
    expect_error(Code::out_of_range, {"101", "100"}, [&] { (void)buffer.subview(101); });
    expect_error(Code::out_of_range, {"60", "41", "100"}, [&] { (void)buffer.subview(60, 41); });
    expect_error(Code::out_of_range, {"51", "50"}, [&] { (void)view.last(51); });
    expect_error(Code::out_of_range, {"50"}, [&] { (void)view.subview(1, 50); });
    const std::size_t huge = std::numeric_limits<std::size_t>::max() - 1;
    expect_error(Code::out_of_range, {std::to_string(huge)}, [&] { (void)view.subview(2, huge); });
    expect_error(Code::out_of_range, {std::to_string(huge)}, [&] { (void)view.subview(huge, 2); });
    CHECK(buffer.subview(100).empty());
    CHECK(buffer.subview(100, 0).empty());
    CHECK(view.last(0).empty());
}

FERRY_TEST("view: the empty view is copied as nothing and reaches a kernel as null") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    queue.fill(out, 7U);
    queue.copy(ferry::View<std::uint32_t>{}, out.first(0));
    queue.launch(kernel(device, "is_null"), {1, 1}, ferry::View<const std::uint32_t>{}, out);
    CHECK(queue.read(out).at(0) == 1);
    queue.launch(kernel(device, "is_null"), {1, 1}, out, out);
    CHECK(queue.read(out).at(0) == 0);
}

TEST_CASE("view: the empty view has no device") {
    const ferry::View<int> view;
    CHECK(view.empty());
    CHECK(view.size() == 0);
    expect_error(Code::invalid_state, {}, [&] { (void)view.device(); });
    expect_error(Code::invalid_state, {}, [&] { (void)view.kind(); });
}
