// SPDX-License-Identifier: Apache-2.0
#include "box_model.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Box;
using ferry::Code;
using ferry::HostBox;

namespace {

struct Rgb {
    std::uint8_t r, g, b;
};

/// Copies random boxes up, across and down. Rows consist of elements of `element` bytes. Compares every byte
/// at both ends, including the bytes outside the boxes.
void check_random_boxes(const ferry::Device& device, std::size_t element, int rounds, std::size_t largest) {
    ferry::Queue queue{device};
    for (int round = 0; round < rounds; ++round) {
        const ferry::Extent extent = random_extent(largest);
        const Shape up = random_shape(extent, element);
        const Shape here = random_shape(extent, element);
        const Shape there = random_shape(extent, element);
        const Shape down = random_shape(extent, element);
        INFO("elements of ", element, " bytes: ", up.text(), " to ", here.text(), " to ", there.text(),
             " to ", down.text());
        const auto source = random_values<std::uint8_t>(up.bytes);
        auto model_here = random_values<std::uint8_t>(here.bytes);
        auto model_there = random_values<std::uint8_t>(there.bytes);
        auto model_down = poison<std::uint8_t>(down.bytes);
        ferry::Buffer<std::uint8_t> a{device, here.bytes};
        ferry::Buffer<std::uint8_t> b{device, there.bytes};
        auto back = model_down;
        queue.copy(model_here, a);
        queue.copy(model_there, b);
        queue.copy(host_box(source, up), box(a, here));
        queue.copy(box(a, here), box(b, there));
        queue.copy(box(b, there), host_box(back, down));
        queue.finish(); // the models are read until then
        move_box(source, up, model_here, here);
        move_box(model_here, here, model_there, there);
        move_box(model_there, there, model_down, down);
        check_same(queue.read(a), model_here);
        check_same(queue.read(b), model_there);
        check_same(back, model_down);
    }
}

} // namespace

FERRY_TEST("box: random boxes and pitches against a model") {
    check_random_boxes(device, 1, 50, 24);
    check_random_boxes(device, 4, 40, 20);
    check_random_boxes(device, 3, 15, 20);
    check_random_boxes(device, 16, 20, 12);
    check_random_boxes(device, 2, 4, 130);
}

FERRY_TEST("box: elements of 3 bytes in rows that are no multiple of them apart") {
    ferry::Queue queue{device};
    std::vector<Rgb> data(64 * 5);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(3 * i),
                   static_cast<std::uint8_t>(i + 7)};
    }
    ferry::Buffer<Rgb> buffer{device, data.size()};
    queue.copy(data, buffer);
    const std::vector<Rgb> seen =
        queue.read(Box{buffer, {20, 15}, {.row = 64}}.sub({.x = 4, .y = 3}, {7, 11}));
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(data.data());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const std::uint8_t* const wanted = bytes + (3 + i / 7) * 64 + (4 + i % 7) * 3;
        REQUIRE(seen[i].r == wanted[0]);
        REQUIRE(seen[i].g == wanted[1]);
        REQUIRE(seen[i].b == wanted[2]);
    }
}

FERRY_TEST("box: rows of many bytes") {
    ferry::Queue queue{device};
    const ferry::Extent extent{100'003, 7};
    const auto data = random_values<std::uint32_t>(100'100 * 7);
    ferry::Buffer<std::uint32_t> image{device, data.size()};
    queue.copy(data, image);
    const Box whole{image, {100'100, 7}};
    const auto seen = queue.read(whole.sub({.x = 51}, extent));
    std::vector<std::uint32_t> wanted;
    for (std::size_t y = 0; y < extent.height; ++y) {
        const auto* row = data.data() + y * 100'100 + 51;
        wanted.insert(wanted.end(), row, row + extent.width);
    }
    check_same(seen, wanted);
}

FERRY_TEST("box: as many rows as bytes from one row to the next") {
    ferry::Queue queue{device};
    for (const std::size_t height : {2U, 3U, 8U, 12U, 67U}) {
        for (const std::size_t width : {std::size_t{1}, height - 1, height}) {
            for (const std::size_t depth : {1U, 3U}) {
                const std::size_t slice = height * (height + 1);
                const std::size_t bytes = depth * slice + 100;
                const Shape one{{width, height, depth}, {height, slice}, 13, bytes};
                INFO(one.text());
                const auto source = random_values<std::uint8_t>(bytes);
                auto model = random_values<std::uint8_t>(2 * bytes);
                auto down = poison<std::uint8_t>(bytes);
                ferry::Buffer<std::uint8_t> buffer{device, 2 * bytes};
                auto back = down;
                queue.copy_and_wait(model, buffer);
                const Shape first{one.extent, one.pitches, 5, 2 * bytes};
                const Shape second{one.extent, one.pitches, bytes + 7, 2 * bytes};
                queue.copy(host_box(source, one), box(buffer, first));
                queue.copy(box(buffer, first), box(buffer, second));
                queue.copy_and_wait(box(buffer, second), host_box(back, one));
                move_box(source, one, model, first);
                move_box(model, first, model, second);
                move_box(model, second, down, one);
                check_same(queue.read(buffer), model);
                check_same(back, down);
            }
        }
    }
}

FERRY_TEST("box: memory of every kind at either end") {
    ferry::Queue queue{device};
    const ferry::Extent extent{13, 5, 3};
    for (const auto from_kind : all_kinds(device)) {
        for (const auto to_kind : all_kinds(device)) {
            const Shape from = random_shape(extent, 4);
            const Shape to = random_shape(extent, 4);
            INFO(std::string(to_string(from_kind)), " ", from.text(), " to ", std::string(to_string(to_kind)),
                 " ", to.text());
            ferry::Buffer<std::uint8_t> a{device, from.bytes, from_kind};
            ferry::Buffer<std::uint8_t> b{device, to.bytes, to_kind};
            const auto data = random_values<std::uint8_t>(from.bytes);
            auto model = random_values<std::uint8_t>(to.bytes);
            queue.copy(data, a);
            queue.copy_and_wait(model, b);
            queue.copy_and_wait(box(a, from), box(b, to));
            move_box(data, from, model, to);
            check_same(queue.read(b), model);
            check_same(queue.read(a), data);
        }
    }
}

FERRY_TEST("box: within one buffer, side by side, interleaved and with other pitches") {
    ferry::Queue queue{device};
    auto model = random_values<std::uint32_t>(64 * 64);
    ferry::Buffer<std::uint32_t> buffer{device, model.size()};
    queue.copy_and_wait(model, buffer);
    const auto move = [&](const Box<std::uint32_t>& from, const Box<std::uint32_t>& to) {
        queue.copy_and_wait(from, to);
        move_box_of(model, from, to);
        check_same(queue.read(buffer), model);
    };
    const Box image{buffer, {64, 64}};
    move(image.sub({0, 0}, {32, 64}), image.sub({32, 0}, {32, 64})); // left to right
    move(image.sub({5, 1}, {7, 9}), image.sub({6, 10}, {7, 9}));
    const Box even{buffer, {64, 32}, {.row = 512}};
    const Box odd{buffer.subview(64), {64, 32}, {.row = 512}};
    move(even, odd);                                              // every second row over its neighbour
    move(image.sub({3, 0}, {1, 64}), image.sub({9, 0}, {1, 64})); // a column
    // A row becomes a column: the pitches differ, and one range encloses the other.
    const Box row{buffer, {1, 32}, {.row = 4}};
    move(row, image.sub({40, 1}, {1, 32}));
    const Box blocks{buffer, {4, 4, 4}, {.row = 64 * 4, .slice = 8 * 64 * 4}};
    const Box packed{buffer.last(64), {4, 4, 4}};
    move(blocks, packed);
}

FERRY_TEST("box: a part of a part, and the views of it") {
    ferry::Queue queue{device};
    std::vector<std::uint32_t> data(10 * 8 * 6);
    for (std::uint32_t i = 0; i < data.size(); ++i) {
        data[i] = i;
    }
    ferry::Buffer<std::uint32_t> buffer{device, data.size()};
    queue.copy_and_wait(data, buffer);
    const Box whole{buffer, {10, 8, 6}};
    CHECK(whole.pitches().row == 40);
    CHECK(whole.pitches().slice == 320);
    const Box<const std::uint32_t> part = whole.sub({1, 2, 3}, {8, 5, 2}).sub({2, 1, 1}, {3, 2, 1});
    CHECK(part.extent() == ferry::Extent{3, 2, 1});
    CHECK(part.size() == 6);
    CHECK(queue.read(part) == std::vector<std::uint32_t>{353, 354, 355, 363, 364, 365});
    HostBox host{data, {10, 8, 6}};
    queue.copy_and_wait(part, host.sub({7, 6, 5}, {3, 2, 1}));
    CHECK(data[5 * 80 + 6 * 10 + 7] == 353);
    CHECK(data[479] == 365);
    CHECK(data[478] == 364);
}

FERRY_TEST("box: nothing is a no-op, one element is one, and gaps at the end need not be there") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    auto data = random_values<std::uint32_t>(103);
    ferry::Buffer<std::uint32_t> buffer{device, data.size()};
    queue.copy_and_wait(data, buffer);
    const Box image{buffer, {3, 11}, {.row = 40}}; // 10 rows of 40 bytes and one of 12
    for (const ferry::Extent& none :
         {ferry::Extent{0, 5, 1}, ferry::Extent{3, 0, 1}, ferry::Extent{2, 2, 0}}) {
        const Box part = image.sub({}, none);
        CHECK(part.empty());
        CHECK(part.size() == 0);
        queue.copy(part, part);
        queue.copy(HostBox<const std::uint32_t>{data, none}, part);
        CHECK(queue.read(part).empty());
    }
    queue.copy(Box<std::uint32_t>{}, Box<std::uint32_t>{});
    CHECK(queue.read(image.sub({2, 10}, {1, 1})) == std::vector{data[102]});
    CHECK(queue.read(image.sub({3, 11}, {0, 0})).empty());
    check_same(queue.read(buffer), data);
}

FERRY_TEST("box: boxes of different extents are refused and nothing changes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    auto data = random_values<std::uint32_t>(200);
    ferry::Buffer<std::uint32_t> buffer{device, 200};
    ferry::Buffer<std::uint32_t> other{device, 200};
    queue.copy_and_wait(data, buffer);
    queue.copy_and_wait(data, other);
    expect_error(Code::invalid_argument, {"5x4x2", "5x4x1"}, [&] {
        queue.copy(Box{buffer, {5, 4, 2}}, Box{other, {5, 4}});
    });
    expect_error(Code::invalid_argument, {"10x4x1", "4x10x1"}, [&] {
        queue.copy(HostBox{data, {10, 4}}, Box{other, {4, 10}});
    });
    expect_error(Code::invalid_argument, {"0x0x0", "4x10x1"}, [&] {
        queue.copy(Box<std::uint32_t>{}, Box{other, {4, 10}});
    });
    check_same(queue.read(other), data);
}

FERRY_TEST("box: invalid boxes are refused") {
    ferry::Buffer<std::uint32_t> buffer{device, 100};
    std::vector<std::uint32_t> host(100);
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
    expect_error(Code::invalid_argument, {"row pitch", "39 bytes", "10 elements", "40 bytes"}, [&] {
        (void)Box{buffer, {10, 2}, {.row = 39}};
    });
    expect_error(Code::invalid_argument, {"slice pitch", "119 bytes", "3 rows", "120 bytes"}, [&] {
        (void)Box{buffer, {10, 3, 2}, {.row = 40, .slice = 119}};
    });
    expect_error(Code::out_of_range, {"10x11x1", "440 bytes", "400 bytes"}, [&] {
        (void)Box{buffer, {10, 11}};
    });
    expect_error(Code::out_of_range, {"3x3x3", "420 bytes", "400 bytes"}, [&] {
        (void)HostBox{host, {3, 3, 3}, {.row = 64, .slice = 140}};
    });
    expect_error(Code::out_of_range, {std::to_string(huge), "address space"}, [&] {
        (void)Box{buffer, {huge, 1}};
    });
    expect_error(Code::out_of_range, {"address space"}, [&] { (void)Box{buffer, {1, huge, 1}, {.row = 8}}; });
    expect_error(Code::out_of_range, {"address space"}, [&] { (void)Box{buffer, {1, 2, huge}}; });
    expect_error(Code::out_of_range, {"address space"}, [&] {
        (void)HostBox{host, {1, 1, 3}, {.row = 4, .slice = huge}};
    });
    const Box image{buffer, {10, 10}};
    expect_error(Code::out_of_range, {"4x2x1", "element 7 of row 0", "10x10x1"}, [&] {
        (void)image.sub({7, 0}, {4, 2});
    });
    expect_error(Code::out_of_range, {"row 10"}, [&] { (void)image.sub({0, 10}, {1, 1}); });
    expect_error(Code::out_of_range, {"slice 1"}, [&] { (void)image.sub({0, 0, 1}, {1, 1}); });
    expect_error(Code::out_of_range, {std::to_string(huge)}, [&] { (void)image.sub({5, 5}, {huge, huge}); });
}

FERRY_TEST("box: overlapping boxes are refused, exactly, and nothing changes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    auto model = random_values<std::uint8_t>(1300);
    ferry::Buffer<std::uint8_t> buffer{device, model.size()};
    queue.copy_and_wait(model, buffer);
    int refused = 0;
    for (int round = 0; round < 250; ++round) {
        const ferry::Extent extent = random_extent(5);
        const Shape a = random_shape(extent, 1, 300);
        Shape b = random_shape(extent, 1, 300);
        if (round % 2 == 0) { // the same pitches at another place
            b = a;
            b.offset = random_below(300);
        }
        const Box<std::uint8_t> from{buffer.subview(a.offset), extent, a.pitches};
        const Box<std::uint8_t> to{buffer.subview(b.offset), extent, b.pitches};
        INFO(a.text(), " at ", a.offset, " and ", b.text(), " at ", b.offset);
        if (meet(a, b)) {
            expect_error(Code::invalid_argument, {"overlap"}, [&] { queue.copy(from, to); });
            ++refused;
        } else {
            queue.copy_and_wait(from, to);
            move_box_of(model, from, to);
        }
    }
    CHECK(refused > 10);
    CHECK(refused < 240);
    check_same(queue.read(buffer), model);
}

FERRY_TEST("box: a mapped buffer is refused") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 100};
    ferry::Buffer<std::uint32_t> other{device, 100};
    queue.fill(buffer, 1U);
    queue.fill(other, 2U);
    const auto mapping = buffer.map(queue, ferry::Map::write);
    expect_error(Code::invalid_state, {"mapped"}, [&] {
        queue.copy(Box{other, {5, 5}}, Box{buffer, {5, 5}});
    });
    expect_error(Code::invalid_state, {"mapped"}, [&] {
        queue.copy(Box{buffer, {5, 5}}, Box{other, {5, 5}});
    });
}

FERRY_TEST("box: commands keep their order with kernels and copies") {
    ferry::Queue queue{device};
    constexpr std::uint32_t width = 120;
    constexpr std::uint32_t height = 50;
    auto model = random_values<std::uint32_t>(width * height);
    ferry::Buffer<std::uint32_t> a{device, model.size()};
    ferry::Buffer<std::uint32_t> b{device, model.size()};
    queue.copy_and_wait(model, a);
    const ferry::Kernel stir = kernel(device, "stir");
    const auto size = static_cast<std::uint32_t>(model.size());
    const Box from{a, {width, height}};
    const Box to{b, {width, height}};
    for (std::uint32_t round = 0; round < 8; ++round) {
        queue.launch(stir, ferry::Grid::covering(size, 128), a, size, round);
        queue.copy(from.sub({0, 0}, {width / 2, height}), to.sub({width / 2, 0}, {width / 2, height}));
        queue.copy(from.sub({width / 2, 0}, {width / 2, height}), to.sub({0, 0}, {width / 2, height}));
        queue.copy(b, a);
        for (std::uint32_t i = 0; i < size; ++i) {
            model[i] = stir_result(model[i], i, round);
        }
        for (std::uint32_t y = 0; y < height; ++y) {
            std::swap_ranges(model.begin() + y * width, model.begin() + y * width + width / 2,
                             model.begin() + y * width + width / 2);
        }
    }
    check_same(queue.read(a), model);
}

FERRY_TEST("box: several queues and threads") {
    constexpr std::size_t threads = 4;
    std::array<std::vector<std::uint8_t>, threads> models;
    std::array<std::vector<std::uint8_t>, threads> seen;
    std::array<std::vector<std::pair<Shape, Shape>>, threads> steps;
    for (std::size_t t = 0; t < threads; ++t) {
        models[t] = random_values<std::uint8_t>(20'000);
        for (int i = 0; i < 30; ++i) {
            const ferry::Extent extent = random_extent(14);
            steps[t].emplace_back(random_shape(extent, 1, 300), random_shape(extent, 1, 300));
        }
    }
    std::vector<std::thread> running;
    for (std::size_t t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            ferry::Queue queue{device};
            ferry::Buffer<std::uint8_t> a{device, 20'000};
            ferry::Buffer<std::uint8_t> b{device, 20'000};
            queue.copy_and_wait(models[t], a);
            queue.copy_and_wait(models[t], b);
            auto other = models[t];
            for (const auto& [from, to] : steps[t]) {
                queue.copy(Box{a.subview(from.offset), from.extent, from.pitches},
                           Box{b.subview(to.offset), to.extent, to.pitches});
                queue.copy(Box{b.subview(to.offset), to.extent, to.pitches},
                           Box{a.subview(from.offset), from.extent, from.pitches});
                move_box(models[t], from, other, to);
            }
            queue.copy_and_wait(b, models[t]);
            seen[t] = std::move(other);
        });
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    for (std::size_t t = 0; t < threads; ++t) {
        check_same(models[t], seen[t]);
    }
}

FERRY_TEST("box: host memory at the null pointer is refused at once, and nothing changes") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 100};
    queue.fill(buffer, 7U);
    const std::span<std::uint32_t> nowhere(static_cast<std::uint32_t*>(nullptr), 100);
    const std::pair<ferry::Extent, std::string> shapes[] = {
        {{10}, "40 bytes"}, {{9, 3}, "116 bytes"}, {{5, 2, 3}, "380 bytes"}};
    for (const auto& shape : shapes) {
        const ferry::Extent extent = shape.first;
        const std::string& bytes = shape.second;
        const ferry::Pitches pitches{40, 160};
        const Box here{buffer.view(), extent, pitches};
        expect_error(Code::invalid_argument, {"The source", bytes, "null pointer"}, [&] {
            queue.copy(HostBox{nowhere, extent, pitches}, here);
        });
        expect_error(Code::invalid_argument, {"The destination", bytes, "null pointer"}, [&] {
            queue.copy(here, HostBox{nowhere, extent, pitches});
        });
    }
    queue.copy(HostBox{nowhere, {0, 3}}, Box{buffer.view(), {0, 3}}); // no bytes
    check_same(queue.read(buffer), std::vector<std::uint32_t>(100, 7U));
}

FERRY_PAIR_TEST("box: between devices, from the queue of either end, and nothing else is touched") {
    ferry::Queue queue_from{from};
    ferry::Queue queue_to{to};
    for (int round = 0; round < 12; ++round) {
        const ferry::Extent extent = random_extent(20);
        const Shape here = random_shape(extent, 4);
        const Shape there = random_shape(extent, 4);
        INFO(here.text(), " to ", there.text());
        const auto data = random_values<std::uint8_t>(here.bytes);
        auto model = random_values<std::uint8_t>(there.bytes);
        ferry::Buffer<std::uint8_t> a{from, here.bytes};
        ferry::Buffer<std::uint8_t> b{to, there.bytes};
        queue_from.copy_and_wait(data, a);
        queue_to.copy_and_wait(model, b);
        (round % 2 == 0 ? queue_from : queue_to).copy_and_wait(box(a, here), box(b, there));
        move_box(data, here, model, there);
        check_same(queue_to.read(b), model);
        check_same(queue_from.read(a), data);
    }
}

FERRY_PAIR_TEST("box: between devices, more than is staged at a time") {
    ferry::Queue queue{from};
    ferry::Queue other{to};
    // 4 MiB are staged at once. The extents have longer rows, longer slices, or many slices.
    for (const ferry::Extent& extent :
         {ferry::Extent{5'000'011, 2, 1}, ferry::Extent{3001, 2003, 2}, ferry::Extent{1000, 100, 97}}) {
        const Shape shape{extent,
                          {extent.width + 5, (extent.width + 5) * extent.height + 3},
                          0,
                          ((extent.width + 5) * extent.height + 3) * extent.depth};
        INFO(shape.text());
        const auto data = random_values<std::uint8_t>(shape.bytes);
        ferry::Buffer<std::uint8_t> a{from, shape.bytes};
        ferry::Buffer<std::uint8_t> b{to, extent.volume()};
        queue.copy_and_wait(data, a);
        other.fill(b, std::uint8_t{0});
        other.finish();
        queue.copy_and_wait(Box{a, extent, shape.pitches}, Box{b, extent});
        std::vector<std::uint8_t> model(extent.volume());
        const Shape packed{extent, {extent.width, extent.width * extent.height}, 0, model.size()};
        move_box(data, shape, model, packed);
        check_same(other.read(b), model);
    }
}
