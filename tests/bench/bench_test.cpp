// SPDX-License-Identifier: Apache-2.0
// The measuring itself: that a wrong byte is found wherever a measurement may leave one, and the arithmetic.
#include "limits.hpp"
#include "run.hpp"
#include "statistics.hpp"
#include "verification.hpp"

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

namespace {

using namespace bench;

constexpr std::size_t size = std::size_t{1} << 16;

/// Changes one byte of what the measurement leaves behind.
void spoil(const Measurement& what, Subject& subject, std::size_t at) {
    const auto spoil_array = [&](Array array, std::size_t bytes) {
        std::vector<std::byte> content(bytes);
        subject.read(array, content);
        content[at % bytes] ^= std::byte{4};
        subject.write(array, content);
    };
    switch (what.check) {
    case Check::nothing:
        break;
    case Check::sum:
    case Check::order:
        return spoil_array(Array::data, bump_items * sizeof(std::uint32_t));
    case Check::uploaded:
    case Check::filled:
        return spoil_array(Array::first, size);
    case Check::both:
        if (at % 2 == 0) {
            return spoil_array(Array::first, size);
        }
        [[fallthrough]];
    case Check::downloaded: {
        const bool pageable = what.operation == Operation::down_pageable;
        subject.host(pageable ? HostArray::pageable_down : HostArray::down)[at % size] ^= std::byte{1};
        return;
    }
    case Check::between:
        return spoil_array(Array::second, size);
    case Check::stream:
        switch (what.operation) {
        case Operation::stream_mul:
            return spoil_array(Array::second, size);
        case Operation::stream_triad:
            return spoil_array(Array::first, size);
        case Operation::stream_dot:
            return spoil_array(Array::sums, dot_groups * sizeof(float));
        default:
            return spoil_array(Array::third, size);
        }
    }
}

} // namespace

TEST_CASE("each measurement leaves what its check expects, and one wrong byte is found") {
    const ferry::Device device = ferry::find_device("host:0");
    const Sides sides = make_sides(device, size, true);
    CHECK(sides.raw == nullptr);
    for (const Measurement& what : measurements()) {
        CAPTURE(what.name);
        const std::size_t bytes = what.sizes.empty() ? 0 : size;
        for (const std::size_t at : {std::size_t{0}, std::size_t{1}, size - 1, size / 2 + 7}) {
            Verification good(what, *sides.ferry, bytes, 17 + at);
            sides.ferry->run(what.operation, 3, bytes, what.timing == Timing::each);
            CHECK_NOTHROW(good.check(3, "Ferry"));
            if (what.check == Check::nothing) {
                continue;
            }
            Verification bad(what, *sides.ferry, bytes, 18 + at);
            sides.ferry->run(what.operation, 3, bytes, what.timing == Timing::each);
            sides.ferry->finish_all();
            spoil(what, *sides.ferry, at);
            CHECK_THROWS_WITH_AS(bad.check(3, "Ferry"), doctest::Contains(std::string(what.name).c_str()),
                                 std::runtime_error);
        }
    }
}

TEST_CASE("a step too few or too many is found where steps add up") {
    const ferry::Device device = ferry::find_device("host:0");
    const Sides sides = make_sides(device, small_bytes, true);
    const auto launches = std::ranges::find(measurements(), Check::sum, &Measurement::check);
    REQUIRE(launches != measurements().end());
    for (const std::uint64_t claimed : {4U, 6U}) {
        Verification verification(*launches, *sides.ferry, 0, 1);
        sides.ferry->run(launches->operation, 5, 0, false);
        CHECK_THROWS_AS(verification.check(claimed, "Ferry"), std::runtime_error);
    }
}

TEST_CASE("nothing done is found") {
    const ferry::Device device = ferry::find_device("host:0");
    const Sides sides = make_sides(device, size, true);
    for (const Measurement& what : measurements()) {
        // An event or an allocation leaves nothing behind that would be missed.
        if (what.check != Check::nothing && what.check != Check::order) {
            CAPTURE(what.name);
            Verification verification(what, *sides.ferry, what.sizes.empty() ? 0 : size, 5);
            CHECK_THROWS_AS(verification.check(1, "Ferry"), std::runtime_error);
        }
    }
}

TEST_CASE("medians, quartiles and the ratio of pairs") {
    const Spread known = spread({5, 1, 2, 4, 3});
    CHECK(known.median == 3);
    CHECK(known.low == 2);
    CHECK(known.high == 4);
    CHECK(known.relative() == doctest::Approx(2.0 / 3));
    std::vector<double> under(101);
    std::vector<double> over(101);
    for (std::size_t i = 0; i < under.size(); ++i) {
        under[i] = 1 + static_cast<double>(i); // drifts, both sides alike
        over[i] = under[i] * (1 + static_cast<double>((i * 37) % 101) / 1000);
    }
    const Ratio found = ratio(over, under);
    CHECK(found.median == doctest::Approx(1.05));
    CHECK(found.low == doctest::Approx(1.040));
    CHECK(found.high == doctest::Approx(1.060));
    CHECK(duration_text(812) == "812 ns");
    CHECK(duration_text(6810) == "6.81 us");
    CHECK(duration_text(19.3e6) == "19.30 ms");
}

TEST_CASE("what a PCIe link carries") {
    CHECK(pcie_bandwidth(32, 16) == doctest::Approx(63.015e9).epsilon(1e-4)); // generation 5
    CHECK(pcie_bandwidth(16, 16) == doctest::Approx(31.508e9).epsilon(1e-4));
    CHECK(pcie_bandwidth(5, 8) == doctest::Approx(4e9));
    CHECK(pcie_bandwidth(2.5, 1) == doctest::Approx(0.25e9));
}
