// SPDX-License-Identifier: Apache-2.0
// The measuring itself: that a wrong byte is found wherever a measurement may leave one, and the arithmetic.
#include "../../src/cli/bench/report.hpp"
#include "limits.hpp"
#include "measure.hpp"
#include "run.hpp"
#include "statistics.hpp"
#include "verification.hpp"

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
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

/// A side whose times are made up: nanoseconds of sample number n, by the device's clock; none: the queue
/// could not be held back.
class Scripted : public Subject {
public:
    explicit Scripted(std::function<std::optional<double>(int)> time) : time_(std::move(time)) {}

    int samples = 0;

    void run(Operation /*operation*/, int /*count*/, std::size_t /*bytes*/, bool /*wait_each*/) override {
        ++runs_by_wall_clock;
    }
    std::optional<double> run_held(Operation /*operation*/, int count, std::size_t /*bytes*/) override {
        const auto time = time_(samples);
        samples += time ? 1 : 0;
        return time ? std::optional(*time * count) : std::nullopt;
    }
    void finish_all() override {}
    std::span<std::byte> host(HostArray /*array*/) override { return {}; }
    void set_pattern(std::uint32_t /*pattern*/) override {}
    void write(Array /*array*/, std::span<const std::byte> /*from*/) override {}
    void read(Array /*array*/, std::span<std::byte> /*to*/) override {}

    int runs_by_wall_clock = 0;

private:
    std::function<std::optional<double>(int)> time_;
};

constexpr Measurement scripted{"scripted", "nothing", Operation::launch, Timing::device, Check::nothing, {}};
constexpr Effort effort{.pairs = 9, .most_pairs = 40, .sample_ns = 1e6, .batch = 4, .warm_up = 2};
constexpr int before_pairs = 1 + 2 + effort.warm_up; // tried, two to find the number of steps, thrown away

/// Far apart, whichever pair it is.
double noisy(int sample) {
    return sample % 3 == 0 ? 3000 : 1000;
}

} // namespace

TEST_CASE("samples that vary little are taken once") {
    Scripted raw([](int sample) { return 1000.0 + sample % 4; });
    Scripted mine([](int sample) { return 2000.0 + sample % 5; });
    const Figure figure = measure(scripted, &raw, mine, 0, effort);
    CHECK(figure.pairs == effort.pairs);
    CHECK_FALSE(figure.varied);
    CHECK(figure.device_clock);
    CHECK(figure.steps == effort.batch);
    CHECK(figure.ferry.median == doctest::Approx(2002).epsilon(0.001));
    CHECK(figure.ratio.median == doctest::Approx(2).epsilon(0.01));
    CHECK(raw.runs_by_wall_clock + mine.runs_by_wall_clock == 0);
}

TEST_CASE("samples that vary too much are repeated, up to a number, and it is said") {
    for (const bool raw_varies : {false, true}) {
        Scripted raw([&](int sample) { return raw_varies ? noisy(sample) : 1000.0; });
        Scripted mine([&](int sample) { return raw_varies ? 1000.0 : noisy(sample); });
        const Figure figure = measure(scripted, &raw, mine, 0, effort);
        CHECK(figure.pairs >= effort.most_pairs);
        CHECK(figure.pairs < effort.most_pairs + effort.pairs);
        CHECK(figure.varied);
        CHECK((raw_varies ? figure.raw : figure.ferry).relative() > too_much_variation);

        const ferry::Device device = ferry::find_device("host:0");
        DeviceFigures figures{device, 0, Limits(device, nullptr), {{&scripted, figure, 0}}};
        std::ostringstream table;
        print_line(table, figures.lines[0]);
        CHECK_MESSAGE(table.str().find("varies") != std::string::npos, table.str());
        print_foot(table, figures);
        CHECK_MESSAGE(table.str().find("more than 10% between the quartiles") != std::string::npos,
                      table.str());
        const auto json = nlohmann::json::parse(to_json({figures}, false)).at("results").at(0);
        CHECK(json.at("varied") == true);
        CHECK(json.at("repetitions") == figure.pairs);
        CHECK(json.at(raw_varies ? "raw_spread" : "spread").get<double>() > too_much_variation);
        CHECK(json.at(raw_varies ? "spread" : "raw_spread").get<double>() == 0);

        figures.lines[0].figure.varied = false;
        std::ostringstream calm;
        print_line(calm, figures.lines[0]);
        print_foot(calm, figures);
        CHECK_MESSAGE(calm.str().find("varies") == std::string::npos, calm.str());
        CHECK(nlohmann::json::parse(to_json({figures}, false)).at("results").at(0).at("varied") == false);
    }
}

TEST_CASE("samples are repeated until the first ones weigh little") {
    Scripted mine([](int sample) { return sample < before_pairs + 4 ? 3000.0 : 1000.0; });
    const Figure figure = measure(scripted, nullptr, mine, 0, effort);
    CHECK_FALSE(figure.compared);
    CHECK(figure.pairs == 2 * effort.pairs);
    CHECK_FALSE(figure.varied);
    CHECK(mine.samples == before_pairs + figure.pairs);
    CHECK(figure.ferry.median == 1000);
}

TEST_CASE("a queue that cannot be held back is timed by the wall clock, both sides and all samples") {
    Scripted raw([](int) { return 1000.0; });
    Scripted mine(
        [](int sample) { return sample < before_pairs + 3 ? std::optional(1000.0) : std::nullopt; });
    const Figure figure = measure(scripted, &raw, mine, 0, effort);
    CHECK_FALSE(figure.device_clock);
    CHECK(raw.runs_by_wall_clock == effort.warm_up + figure.pairs);
    CHECK(mine.runs_by_wall_clock > raw.runs_by_wall_clock);
}

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
