// SPDX-License-Identifier: Apache-2.0
// Tests of the benchmark itself: it finds a wrong byte wherever a measurement may leave one, and its
// arithmetic is right.
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
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace {

using namespace bench;

constexpr std::size_t size = std::size_t{1} << 14;

/// Changes one byte of the measurement's results.
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
    case Check::held:
        return spoil_array(Array::sums, sizeof(std::uint32_t));
    case Check::touched:
        subject.host(HostArray::shared)[at % size] ^= std::byte{1};
        return;
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

/// Makes the steps as a sample does.
void steps(const Measurement& what, Subject& subject, int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) {
        if (what.before) {
            subject.run(*what.before, 1, bytes, true);
        }
        subject.run(what.operation, 1, bytes, what.timing == Timing::each);
    }
}

/// The implementation that the test was registered for, otherwise the host.
ferry::Device tested() {
    const char* const backend = std::getenv("FERRY_BACKEND");
    return ferry::find_device(backend != nullptr ? backend : "host");
}

bool on_host() {
    return tested().backend() == ferry::Backend::host;
}

/// The measurements of `subject` that are possible on the tested device.
std::vector<const Measurement*> possible(const Subject& subject) {
    std::vector<const Measurement*> all;
    for (const Measurement& what : measurements()) {
        if (why_left_out(what, tested()).empty() && subject.why_not(what.operation).empty()) {
            all.push_back(&what);
        }
    }
    return all;
}

/// Records the arguments of Subject::run(), in order.
class Listening : public Subject {
public:
    std::vector<Operation> asked;

    void run(Operation operation, int count, std::size_t /*bytes*/, bool /*wait_each*/) override {
        step_ends();
        asked.insert(asked.end(), static_cast<std::size_t>(count), operation);
        if (operation == Operation::touch_on_host) {
            std::this_thread::sleep_for(long_before);
            begun = Clock::now();
        }
    }
    /// A step and its timing lie between the end of what comes before it and this call.
    void step_ends() {
        if (begun && asked.back() != Operation::touch_on_host) {
            longest = std::max(longest, Clock::now() - *begun);
        }
    }
    std::optional<double> run_held(Operation /*operation*/, int /*count*/, std::size_t /*bytes*/) override {
        return std::nullopt;
    }
    void finish_all() override {}
    std::span<std::byte> host(HostArray /*array*/) override { return {}; }
    void set_pattern(std::uint32_t /*pattern*/) override {}
    void write(Array /*array*/, std::span<const std::byte> /*from*/) override {}
    void read(Array /*array*/, std::span<std::byte> /*to*/) override {}

    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds long_before{10};
    std::optional<Clock::time_point> begun;
    Clock::duration longest{};
};

/// A side with invented times: the nanoseconds of each sample by the device's clock. Without a time, the
/// queue could not be held back.
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
// one try, two to find the number of steps, and the discarded ones
constexpr int before_pairs = 1 + 2 + effort.warm_up;

/// Times that differ strongly, for every pair.
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

        const ferry::Device device = tested();
        DeviceFigures figures{device, 0, Limits(device, nullptr), {{&scripted, figure, 0}}};
        std::ostringstream table;
        print_line(table, figures.lines[0]);
        CHECK_MESSAGE(table.str().find("varies") != std::string::npos, table.str());
        print_foot(table, figures);
        CHECK_MESSAGE(table.str().find("more than 10% between the quartiles") != std::string::npos,
                      table.str());
        const auto json = nlohmann::json::parse(to_json({figures}, {}, false)).at("results").at(0);
        CHECK(json.at("varied") == true);
        CHECK(json.at("repetitions") == figure.pairs);
        CHECK(json.at(raw_varies ? "raw_spread" : "spread").get<double>() > too_much_variation);
        CHECK(json.at(raw_varies ? "spread" : "raw_spread").get<double>() == 0);

        figures.lines[0].figure.varied = false;
        std::ostringstream calm;
        print_line(calm, figures.lines[0]);
        print_foot(calm, figures);
        CHECK_MESSAGE(calm.str().find("varies") == std::string::npos, calm.str());
        CHECK(nlohmann::json::parse(to_json({figures}, {}, false)).at("results").at(0).at("varied") == false);
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
    const Sides sides = make_sides(tested(), size, true);
    std::vector<std::size_t> places{0, size - 1};
    if (on_host()) { // on other devices the kernel that sums is slow
        places.insert(places.end(), {1, size / 2 + 7});
    }
    for (Subject* const side : {sides.ferry.get(), sides.raw.get()}) {
        CAPTURE(side == sides.raw.get());
        const Entered entered(*side);
        for (const Measurement* const what : possible(*side)) {
            CAPTURE(what->name);
            const std::size_t bytes = what->sizes.empty() ? 0 : size;
            for (const std::size_t at : places) {
                Verification good(*what, *side, bytes, 17 + at);
                steps(*what, *side, 2, bytes);
                CHECK_NOTHROW(good.check(2, "it"));
                if (what->check == Check::nothing) {
                    continue;
                }
                Verification bad(*what, *side, bytes, 18 + at);
                steps(*what, *side, 2, bytes);
                side->finish_all();
                spoil(*what, *side, at);
                CHECK_THROWS_WITH_AS(bad.check(2, "it"), doctest::Contains(std::string(what->name).c_str()),
                                     std::runtime_error);
            }
        }
    }
}

TEST_CASE("shared memory is measured if the device has it, otherwise the reason is reported") {
    const ferry::Device device = tested();
    const std::vector<std::string_view> names{"shared.touch.device", "shared.touch.host", "allocate.shared"};
    const Request request{.devices = {}, .filter = "shared", .largest = 4 * size, .quick = true};
    const DeviceFigures figures = run(device, request, [](const Line&, std::size_t) {});
    std::vector<std::string_view> found;
    for (const Line& line : figures.lines) {
        CHECK(line.figure.ferry.median > 0);
        CHECK(line.figure.compared == (!on_host() || line.what->name == "allocate.shared"));
        CHECK(line.figure.why_not_compared.empty() == line.figure.compared);
        if (found.empty() || found.back() != line.what->name) {
            found.push_back(line.what->name);
        }
    }
    std::vector<std::string_view> left_out;
    std::ostringstream foot;
    print_foot(foot, figures);
    for (const LeftOut& one : figures.left_out) {
        left_out.push_back(one.what->name);
        CHECK(one.why == device.capabilities(ferry::MemoryKind::shared, ferry::Probe::declared).why_not);
        CHECK_MESSAGE(foot.str().find(std::string(one.what->name)) != std::string::npos, foot.str());
        CHECK_MESSAGE(foot.str().find(one.why) != std::string::npos, foot.str());
    }
    CHECK((device.info().shared_memory ? found : left_out) == names);
    CHECK((device.info().shared_memory ? left_out : found).empty());
    const auto json = nlohmann::json::parse(to_json({figures}, {}, true));
    REQUIRE(json.at("left_out").size() == left_out.size());
    for (const auto& one : json.at("left_out")) {
        CHECK(one.at("device") == device.id());
        CHECK_FALSE(one.at("reason").get<std::string>().empty());
    }
}

TEST_CASE("kernels with unsupported group sizes are left out, and the reason is reported") {
    const ferry::Device device = tested();
    const bool takes =
        device.info().max_group_size >= stream_group && device.info().max_local[0] >= stream_group;
    const Request request{.devices = {}, .filter = "stream.copy", .largest = size, .quick = true};
    const DeviceFigures figures = run(device, request, [](const Line&, std::size_t) {});
    CHECK(figures.lines.size() == (takes ? 1 : 0));
    CHECK(figures.left_out.size() == (takes ? 0 : 1));
    for (const LeftOut& one : figures.left_out) {
        CHECK_MESSAGE(one.why.find("256") != std::string::npos, one.why);
    }
}

TEST_CASE("the preparation of a step runs before each step and is not timed") {
    const auto what = std::ranges::find(measurements(), "shared.touch.device", &Measurement::name);
    REQUIRE(what != measurements().end());
    Measurement unchecked = *what;
    unchecked.check = Check::nothing;
    Listening side;
    const Effort little{.pairs = 5, .most_pairs = 5, .sample_ns = 1, .batch = 1, .warm_up = 1};
    const Figure figure = measure(unchecked, nullptr, side, size, little);
    side.step_ends();
    CHECK(figure.ferry.median <= std::chrono::nanoseconds(side.longest).count());
    REQUIRE(side.asked.size() % 2 == 0);
    for (std::size_t i = 0; i < side.asked.size(); ++i) {
        CHECK(side.asked[i] == (i % 2 == 0 ? Operation::touch_on_host : Operation::touch_on_device));
    }
}

TEST_CASE("each missing access to the shared memory is detected separately") {
    const Sides sides = make_sides(tested(), size, true);
    for (Subject* const side : {sides.ferry.get(), sides.raw.get()}) {
        const Entered entered(*side);
        for (const Measurement* const what : possible(*side)) {
            if (what->check != Check::touched) {
                continue;
            }
            CAPTURE(what->name);
            for (const Operation alone : {*what->before, what->operation}) {
                Verification verification(*what, *side, size, 11);
                side->run(alone, 2, size, true);
                CHECK_THROWS_AS(verification.check(1, "it"), std::runtime_error);
            }
        }
    }
}

TEST_CASE("on the processor, copies, fills and allocation are compared with the C library's calls") {
    if (!on_host()) {
        return;
    }
    const Sides sides = make_sides(tested(), small_bytes, true);
    for (const Measurement& what : measurements()) {
        CAPTURE(what.name);
        const bool has =
            what.name.starts_with("copy.") || what.name.starts_with("allocate.") || what.name == "fill";
        CHECK(sides.raw->why_not(what.operation).empty() == has);
        CHECK(sides.ferry->why_not(what.operation).empty());
        if (!has && what.operation != Operation::touch_on_host) {
            CHECK_THROWS_AS(sides.raw->run(what.operation, 1, 0, true), std::logic_error);
        }
    }
}

TEST_CASE("a missing or an additional step is found if steps add up") {
    const Sides sides = make_sides(tested(), small_bytes, true);
    const auto launches = std::ranges::find(measurements(), Check::sum, &Measurement::check);
    REQUIRE(launches != measurements().end());
    for (const std::uint64_t claimed : {4U, 6U}) {
        Verification verification(*launches, *sides.ferry, 0, 1);
        sides.ferry->run(launches->operation, 5, 0, false);
        CHECK_THROWS_AS(verification.check(claimed, "Ferry"), std::runtime_error);
    }
}

TEST_CASE("nothing done is found") {
    const Sides sides = make_sides(tested(), size, true);
    for (const Measurement* const what : possible(*sides.ferry)) {
        // An event or an allocation leaves no bytes to check.
        if (what->check != Check::nothing && what->check != Check::order) {
            CAPTURE(what->name);
            Verification verification(*what, *sides.ferry, what->sizes.empty() ? 0 : size, 5);
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
        under[i] = 1 + static_cast<double>(i); // drifts on both sides equally
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

TEST_CASE("the bandwidth of a PCIe link") {
    CHECK(pcie_bandwidth(32, 16) == doctest::Approx(63.015e9).epsilon(1e-4)); // generation 5
    CHECK(pcie_bandwidth(16, 16) == doctest::Approx(31.508e9).epsilon(1e-4));
    CHECK(pcie_bandwidth(5, 8) == doctest::Approx(4e9));
    CHECK(pcie_bandwidth(2.5, 1) == doctest::Approx(0.25e9));
}
