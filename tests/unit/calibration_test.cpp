// SPDX-License-Identifier: Apache-2.0
#include "calibration/knowledge.hpp"
#include "litmus/verdict.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ferry;
using detail::litmus::settle;

namespace {

MemoryCapabilities facts() {
    MemoryCapabilities facts;
    facts.kind = MemoryKind::host;
    facts.available = true;
    facts.reach = {Reach::link, Confidence::declared, "INTEGRATED=0", {}};
    facts.coherence = {Coherence::map, Confidence::measured, "measured: late", "CONCURRENT=1"};
    facts.atomics = {Atomics::system, Confidence::inferred, "it says so", {}};
    facts.same_address = {true, Confidence::measured, "measured: equal", {}};
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

TEST_CASE("litmus: what nobody said is what was measured") {
    Fact<Reach> fact{Reach::copy, Confidence::unknown, "no query tells", {}};
    settle(fact, Reach::local, "as fast as its own");
    CHECK(fact.value == Reach::local);
    CHECK(fact.confidence == Confidence::measured);
    CHECK(fact.declared.empty());
}

TEST_CASE("calibration: facts survive being written and read") {
    const MemoryCapabilities written = facts();
    MemoryCapabilities read;
    read.kind = written.kind;
    REQUIRE(detail::read_facts(detail::to_text(written), read));
    CHECK(detail::to_text(read) == detail::to_text(written));
    CHECK(read.reach.value == Reach::link);
    CHECK(read.coherence.declared == "CONCURRENT=1");
    CHECK(read.coherence.confidence == Confidence::measured);
    CHECK(read.same_address.value);
    CHECK(read.max_size.value == std::size_t{1} << 40);
}

TEST_CASE("calibration: text that is not quite of facts is refused, and changes nothing") {
    const std::string good = detail::to_text(facts());
    MemoryCapabilities kept = facts();
    const auto refused = [&](const std::string& text) {
        const bool taken = detail::read_facts(text, kept);
        CHECK(detail::to_text(kept) == good);
        return !taken;
    };
    for (std::size_t length = 0; length < good.size(); length += 3) {
        CHECK(refused(good.substr(0, length)));
    }
    CHECK(refused(good + "0\t0\t\t\n"));
    CHECK(refused('9' + good.substr(1)));    // a reach that does not exist
    CHECK(refused("2\t7" + good.substr(3))); // a confidence that does not exist
    CHECK(refused("-1" + good.substr(1)));
    std::string letters = good;
    letters[0] = 'x';
    CHECK(refused(letters));
}

TEST_CASE("calibration: costs survive being written and read, to the last bit") {
    detail::Calibration costs;
    costs.pinned_up = {6.8, 55.5e9};
    costs.pageable_down = {1.0 / 3.0, 18.7e9};
    costs.unmap = {0.001, 1e300};
    const std::string text = detail::to_text(costs);
    const auto read = detail::calibration_from(text);
    REQUIRE(read);
    CHECK(detail::to_text(*read) == text);
    CHECK(read->pageable_down.latency_us == costs.pageable_down.latency_us);
    CHECK(read->pinned_up.known());
    CHECK_FALSE(read->map.known());
    CHECK(costs.pinned_up.microseconds(55.5e9) == doctest::Approx(1e6 + 6.8));
}

TEST_CASE("calibration: damaged costs are refused") {
    const std::string good = detail::to_text(detail::Calibration{});
    CHECK(detail::calibration_from(good));
    for (std::size_t length = 0; length < good.size(); ++length) {
        CHECK_FALSE(detail::calibration_from(good.substr(0, length)));
    }
    CHECK_FALSE(detail::calibration_from(good + "more 0x0p+0 0x0p+0\n"));
    for (const char* number : {"nan", "inf", "-1", "x"}) {
        std::string bad = good;
        bad.replace(bad.find("0x0p+0"), 6, number);
        CHECK_FALSE(detail::calibration_from(bad));
    }
}
