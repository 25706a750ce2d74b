// SPDX-License-Identifier: Apache-2.0
#include "knowledge/facts_text.hpp"
#include "measure/device_knowledge.hpp"
#include "measure/settle.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace calibration_test {

using namespace ferry;
using detail::memory_tests::settle;

namespace {

MemoryCapabilities facts() {
    MemoryCapabilities facts;
    facts.kind = MemoryKind::host;
    facts.available = true;
    facts.reach = {Reach::link, Confidence::declared, "INTEGRATED=0", {}};
    facts.coherence = {Coherence::map, Confidence::measured, "measured: late", "CONCURRENT=1"};
    facts.atomics = {Atomics::system, Confidence::inferred, "it says so", {}};
    facts.same_address = {true, Confidence::measured, "measured: equal", {}};
    facts.read_bandwidth = {3'900'000'000'000, Confidence::measured, "measured: 3.9 TB/s", {}};
    facts.migrates = {false, Confidence::unknown, "unknown: a crash; a query", {}, Interruption::crashed};
    facts.read_latency = {640, Confidence::measured, "measured: 0.64 us", {}};
    facts.max_size = {std::size_t{1} << 40, Confidence::declared, "a query", {}};
    return facts;
}

} // namespace

TEST_CASE("litmus: a test that fails overrides a driver's yes") {
    Fact<Reach> fact{Reach::local, Confidence::declared, "INTEGRATED=1", {}};
    settle(fact, Reach::link, "3 GB/s");
    CHECK(fact.value == Reach::link);
    CHECK(fact.confidence == Confidence::measured);
    CHECK(fact.source == "measured: 3 GB/s");
    CHECK(fact.declared == "INTEGRATED=1");
}

TEST_CASE("litmus: a test that passes never overrides a driver's no") {
    for (const Confidence confidence : {Confidence::declared, Confidence::inferred}) {
        Fact<Coherence> fact{Coherence::map, confidence, "the driver", {}};
        settle(fact, Coherence::concurrent, "heard");
        CHECK(fact.value == Coherence::map);
        CHECK(fact.declared.empty());
        CHECK(fact.source == "measured: heard; the driver");
    }
    Fact<bool> address{false, Confidence::declared, "the driver", {}};
    settle(address, true, "equal");
    CHECK_FALSE(address.value);
}

TEST_CASE("litmus: an undeclared fact has the measured value") {
    Fact<Reach> fact{Reach::copy, Confidence::unknown, "no query tells", {}};
    settle(fact, Reach::local, "as fast as its own");
    CHECK(fact.value == Reach::local);
    CHECK(fact.confidence == Confidence::measured);
    CHECK(fact.declared.empty());
}

TEST_CASE("litmus: memory is far by its bandwidth or by its latency") {
    using detail::memory_tests::is_far;
    using detail::memory_tests::Speed;
    const Speed own{1e-3, 0.5e-6};
    CHECK_FALSE(is_far(own, own));
    CHECK_FALSE(is_far({1.9e-3, 1e-6}, own));
    CHECK_FALSE(is_far({1e-3, 0.2e-6}, {1e-3, 0.04e-6})); // other page sizes cause this latency
    CHECK(is_far({20e-3, 1.4e-6}, own));                  // PCIe compared with a GPU's memory
    CHECK(is_far({1e-3, 3e-6}, own));                     // a fast link with a long latency
    CHECK_FALSE(is_far({0.1e-3, 0.1e-6}, own));
}

TEST_CASE("calibration: facts survive being written and read") {
    const MemoryCapabilities written = facts();
    MemoryCapabilities read;
    read.kind = written.kind;
    const std::string text = detail::to_text(written) + "more";
    std::string_view rest = text;
    REQUIRE(detail::take_facts(rest, read));
    CHECK(rest == "more");
    CHECK(detail::to_text(read) == detail::to_text(written));
    CHECK(read.reach.value == Reach::link);
    CHECK(read.coherence.declared == "CONCURRENT=1");
    CHECK(read.coherence.confidence == Confidence::measured);
    CHECK(read.same_address.value);
    CHECK(read.same_address.interruption == Interruption::none);
    CHECK(read.migrates.interruption == Interruption::crashed);
    CHECK(read.read_bandwidth.value == 3'900'000'000'000);
    CHECK(read.read_latency.value == 640);
    CHECK(read.max_size.value == std::size_t{1} << 40);
}

TEST_CASE("calibration: text that is not quite of facts is refused, and changes nothing") {
    const std::string good = detail::to_text(facts());
    MemoryCapabilities kept = facts();
    const auto refused = [&](const std::string& text) {
        std::string_view rest = text;
        const bool taken = detail::take_facts(rest, kept);
        CHECK(detail::to_text(kept) == good);
        CHECK(rest == text);
        return !taken;
    };
    for (std::size_t length = 0; length < good.size(); length += 3) {
        CHECK(refused(good.substr(0, length)));
    }
    CHECK(refused('9' + good.substr(1)));       // a reach that does not exist
    CHECK(refused("2\t7" + good.substr(3)));    // a confidence that does not exist
    CHECK(refused("2\t2\t4" + good.substr(5))); // an interruption that does not exist
    CHECK(refused("-1" + good.substr(1)));
    std::string letters = good;
    letters[0] = 'x';
    CHECK(refused(letters));
}

TEST_CASE("calibration: costs survive being written and read, to the last bit") {
    detail::CostModel costs;
    detail::RoundCosts& link = costs.page_locked[static_cast<std::size_t>(ferry::Placement::link)];
    link.reads.seconds = {1e-5, 2e-5, 1.0 / 3.0, 1e300, 0};
    link.update_again.seconds = {5e-324, 1e-9, 0, 0, 0};
    link.sparse = 0.08;
    costs.ordinary[0].sparse_reads.seconds = {3e-5, 4e-5};
    costs.ordinary[0].random_reads.seconds = {5e-5, 0.25};
    costs.ordinary[4].random = 7.5;
    const std::string text = detail::to_text(costs);
    const auto read = detail::calibration_from(text);
    REQUIRE(read);
    CHECK(detail::to_text(*read) == text);
    const detail::RoundCosts& same = read->page_locked[static_cast<std::size_t>(ferry::Placement::link)];
    CHECK(same.reads.seconds == link.reads.seconds);
    CHECK(same.update_again.seconds == link.update_again.seconds);
    CHECK(same.sparse == link.sparse);
    CHECK(read->ordinary[4].random == 7.5);
    CHECK(read->ordinary[0].sparse_reads.seconds == costs.ordinary[0].sparse_reads.seconds);
    CHECK(read->ordinary[0].random_reads.seconds == costs.ordinary[0].random_reads.seconds);
}

TEST_CASE("calibration: damaged costs are refused") {
    const std::string good = detail::to_text(detail::CostModel{});
    CHECK(detail::calibration_from(good));
    for (std::size_t length = 0; length < good.size(); ++length) {
        CHECK_FALSE(detail::calibration_from(good.substr(0, length)));
    }
    CHECK_FALSE(detail::calibration_from(good + "more 0p+0 0p+0\n"));
    for (const char* number : {"nan", "inf", "-1p+0", "x", " "}) {
        std::string bad = good;
        bad.replace(bad.find("0p+0"), 4, number);
        CHECK_FALSE(detail::calibration_from(bad));
    }
}

TEST_CASE("calibration: a curve goes through its points and on") {
    detail::Curve curve;
    CHECK_FALSE(curve.known());
    curve.seconds = {10e-6, 20e-6, 40e-6};
    CHECK_FALSE(curve.known()); // a few small sizes do not predict large ones
    curve.seconds = {10e-6, 20e-6, 40e-6, 100e-6, 0, 0};
    CHECK(curve.known());
    CHECK(curve.points() == 4);
    CHECK(curve.reaches(1 << 20));
    CHECK_FALSE(curve.reaches((1 << 20) + 1));
    CHECK(curve.at(1) == 10e-6);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(curve.at(static_cast<double>(detail::Curve::sizes[i])) == doctest::Approx(curve.seconds[i]));
    }
    // 512 KiB is the geometric mean of 256 KiB and 1 MiB.
    CHECK(curve.at(512 << 10) == doctest::Approx(std::sqrt(40e-6 * 100e-6)));
    const double per_byte = 60e-6 / (768 << 10);
    CHECK(curve.at(3 << 20) == doctest::Approx(100e-6 + per_byte * (2 << 20)));
    // Noise at the end must not be extrapolated to unlimited speed.
    curve.seconds = {10e-6, 100e-6, 100e-6, 100e-6, 0, 0};
    CHECK(curve.at(101 << 20) == doctest::Approx(100e-6 * 51));
    for (double bytes = 1000; bytes < 1e9; bytes *= 1.1) {
        CHECK(curve.at(bytes) <= curve.at(bytes * 1.1) * (1 + 1e-12));
    }
}

} // namespace calibration_test
