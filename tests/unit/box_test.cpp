// SPDX-License-Identifier: Apache-2.0
// The changes made to a box before it is passed to a vendor, checked by the bytes that are then copied.
#include "driver/driver_box.hpp"
#include "hal/fill_by_copies.hpp"
#include "queue/box_layout.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace backend = ferry::backend;
namespace detail = ferry::detail;
namespace driver = ferry::driver;
using backend::Box;
using backend::Pitch;

namespace {

using Bytes = std::map<std::uint64_t, std::uint64_t>; // destination to source

void add(Bytes& bytes, std::uint64_t from, Pitch from_pitch, std::uint64_t to, Pitch to_pitch,
         const Box& box) {
    for (std::size_t z = 0; z < box.depth; ++z) {
        for (std::size_t y = 0; y < box.height; ++y) {
            for (std::size_t x = 0; x < box.width; ++x) {
                const auto target = to + z * to_pitch.slice + y * to_pitch.row + x;
                REQUIRE(bytes.emplace(target, from + z * from_pitch.slice + y * from_pitch.row + x).second);
            }
        }
    }
}

detail::BoxLayout random_layout(std::mt19937& random, const Box& box) {
    const auto gap = [&] { return random() % 2 == 0 ? std::size_t{0} : random() % 4; };
    detail::BoxLayout layout{box.width, box.height, box.depth, box.width + gap(), 0};
    layout.slice_pitch = random() % 2 == 0 ? layout.row_pitch * (box.height + gap())
                                           : (box.height - 1) * layout.row_pitch + box.width + gap();
    return layout;
}

} // namespace

TEST_CASE("box: simplified, the same bytes go to the same places in no more rows") {
    std::mt19937 random(7);
    int plain = 0;
    for (int round = 0; round < 3000; ++round) {
        const Box box{1 + random() % 4, 1 + random() % 4, 1 + random() % 4};
        const detail::BoxLayout from = random_layout(random, box);
        const detail::BoxLayout to = random_layout(random, box);
        const detail::BoxCopy copy = detail::simplify(from, to);
        Bytes wanted;
        Bytes seen;
        add(wanted, 0, {from.row_pitch, from.slice_pitch}, 0, {to.row_pitch, to.slice_pitch}, box);
        add(seen, 0, copy.from, 0, copy.to, copy.box);
        REQUIRE(seen == wanted);
        CHECK(copy.box.height * copy.box.depth <= box.height * box.depth);
        plain += copy.box.height == 1 ? 1 : 0;
        if (copy.box.height == 1) {
            CHECK(copy.box.depth == 1);
        }
    }
    CHECK(plain > 100);
}

TEST_CASE("box: a box without gaps is one row") {
    const detail::BoxLayout packed{12, 5, 7, 12, 60};
    const detail::BoxCopy copy = detail::simplify(packed, packed);
    CHECK(copy.box.width == 12 * 5 * 7);
    CHECK(copy.box.height == 1);
    CHECK(copy.box.depth == 1);
}

TEST_CASE("box: the drivers' arguments copy every byte once and obey their rules") {
    std::mt19937 random(11);
    for (int round = 0; round < 2000; ++round) {
        const Box box{1 + random() % 4, 1 + random() % 4, 1 + random() % 4};
        const detail::BoxLayout from = random_layout(random, box);
        const detail::BoxLayout to = random_layout(random, box);
        const driver::BoxEnd source{driver::BoxEnd::Kind::device, 1000, {from.row_pitch, from.slice_pitch}};
        const driver::BoxEnd target{driver::BoxEnd::Kind::device, 5000, {to.row_pitch, to.slice_pitch}};
        Bytes wanted;
        Bytes seen;
        add(wanted, source.address, source.pitch, target.address, target.pitch, box);
        driver::in_vendor_boxes(source, target, box,
                                [&](const driver::BoxEnd& f, const driver::BoxEnd& t, const Box& part) {
                                    for (const driver::BoxEnd& end : {f, t}) {
                                        CHECK(end.pitch.row >= part.width);
                                        CHECK(end.slice_rows() >= part.height);
                                    }
                                    // The vendor's slices are slice_rows() rows apart, regardless of the
                                    // pitch.
                                    add(seen, f.address, {f.pitch.row, f.pitch.row * f.slice_rows()},
                                        t.address, {t.pitch.row, t.pitch.row * t.slice_rows()}, part);
                                });
        REQUIRE(seen == wanted);
    }
}

TEST_CASE("box: pitches and rows that the drivers do not take go row by row and in parts") {
    constexpr std::size_t huge = std::size_t{5} << 30;
    const driver::BoxEnd from{driver::BoxEnd::Kind::device, 0, {huge, 4 * huge}};
    const driver::BoxEnd to{driver::BoxEnd::Kind::host, 0, {100, 300}};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;
    driver::in_vendor_boxes(from, to, Box{100, 3, 2},
                            [&](const driver::BoxEnd& f, const driver::BoxEnd& t, const Box& part) {
                                CHECK(f.pitch.row <= driver::max_pitch);
                                CHECK(part.width == 100);
                                CHECK(part.height * part.depth == 1);
                                rows.emplace_back(f.address, t.address);
                            });
    CHECK(rows ==
          std::vector<std::pair<std::uint64_t, std::uint64_t>>{
              {0, 0}, {huge, 100}, {2 * huge, 200}, {4 * huge, 300}, {5 * huge, 400}, {6 * huge, 500}});

    const driver::BoxEnd wide{driver::BoxEnd::Kind::device, 0, {huge, 2 * huge}};
    std::uint64_t next = 0;
    driver::in_vendor_boxes(wide, wide, Box{huge, 2, 1},
                            [&](const driver::BoxEnd& f, const driver::BoxEnd& t, const Box& part) {
                                CHECK(f.address == next);
                                CHECK(t.address == next);
                                CHECK(part.width <= driver::max_pitch);
                                next += part.width;
                            });
    CHECK(next == 2 * huge);
}

TEST_CASE("fill by copies: every byte is written once, from earlier bytes, at whole patterns") {
    for (const std::size_t size : {1U, 3U, 100U, 70'000U}) {
        for (const std::size_t times : {1U, 2U, 3U, 17U, 300U, 500U}) {
            const std::size_t bytes = size * times;
            std::size_t done = size;
            backend::fill_by_copies(bytes, size, [&](std::size_t at, std::size_t next) {
                CHECK(at == done);
                CHECK(next <= at);
                CHECK(at % size == 0);
                done += next;
            });
            CHECK(done == bytes);
        }
    }
}
