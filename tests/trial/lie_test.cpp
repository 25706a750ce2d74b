// SPDX-License-Identifier: Apache-2.0
// These tests are skipped by default. CMakeLists.txt registers each of them separately, on a device that lies
// in one way: FERRY_DOUBLE_LIE and FERRY_DOUBLE_ANSWERS.
#include "measure/device_knowledge.hpp"
#include "measure/memory_tests.hpp"
#include "trial_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

using namespace ferry;
using namespace trial_test;

using detail::child_run::Facts;

namespace {

/// Checks that a fact has the measured value instead of the declared one.
template <class T>
void check_found_out(const Fact<T>& fact, const Fact<T>& said, T truth, const char* how) {
    CHECK(said.confidence != Confidence::measured);
    CHECK(said.value != truth);
    CHECK(fact.value == truth);
    CHECK(fact.confidence == Confidence::measured);
    CHECK(fact.declared == said.source);
    CHECK_MESSAGE(fact.source.find(how) == 0, fact.source);
}

template <class T>
bool found_out(const Fact<T>& fact) {
    return !fact.declared.empty();
}

const MemoryCapabilities& of(const Facts& facts, MemoryKind kind) {
    return facts[static_cast<std::size_t>(kind)];
}

constexpr const char* lost = "increments of the host and a kernel were lost";

/// Checks share() in place and by its own choice, with a kernel for each of the host's turns.
void check_sharing(const Device& device) {
    Queue queue(device);
    const Kernel kernel = Program(device, Source::opencl_c("__kernel void turn(__global uint* data, uint n) {"
                                                           " uint i = get_global_id(0);"
                                                           " if (i < n) data[i] = data[i] * 5u + 3u; }"))
                              .kernel("turn");
    for (const std::size_t count : {std::size_t{61}, std::size_t{1021}, std::size_t{70'001}}) {
        for (const Placements allowed : {Placements(Placement::link), Placements::all()}) {
            std::vector<std::uint32_t> data(count, 7U);
            std::uint32_t wanted = 7;
            auto shared = share(device, data, Access::device_updates, {.allowed = allowed});
            for (int turn = 0; turn < 4; ++turn) {
                queue.launch(kernel, Grid::covering(count, 64), shared, static_cast<std::uint32_t>(count));
                wanted = wanted * 5 + 3;
                for (std::uint32_t& word : shared.host(queue, HostAccess::read_write)) {
                    CHECK(word == wanted);
                    word += 1;
                }
                wanted += 1;
            }
        }
    }
}

/// Checks that the measured facts decide: share() chooses a copy, and rejects the placement in place.
void check_copied(const Device& device) {
    Queue queue(device);
    const Kernel kernel = Program(device, Source::opencl_c("__kernel void up(__global uint* data, uint n) {"
                                                           " uint i = get_global_id(0);"
                                                           " if (i < n) data[i] = data[i] * 3u + i; }"))
                              .kernel("up");
    for (const std::size_t count : {std::size_t{1021}, std::size_t{70'001}, std::size_t{2'000'003}}) {
        std::vector<std::uint32_t> data(count);
        for (std::size_t i = 0; i < count; ++i) {
            data[i] = static_cast<std::uint32_t>(i * 2654435761U);
        }
        std::vector<std::uint32_t> wanted = data;
        for (std::size_t i = 0; i < count; ++i) {
            wanted[i] = wanted[i] * 3 + static_cast<std::uint32_t>(i);
        }
        {
            auto shared = share(device, data, Access::device_updates);
            const Explanation why = shared.explain();
            CHECK((why.taken == Placement::copy || why.taken == Placement::stage));
            queue.launch(kernel, Grid::covering(count, 64), shared, static_cast<std::uint32_t>(count));
        }
        CHECK(data == wanted);
        for (const Placement placement : {Placement::alias, Placement::link, Placement::migrate}) {
            CHECK_THROWS_AS(
                static_cast<void>(share(device, data, Access::device_updates, {.allowed = placement})),
                Error);
        }
    }
}

} // namespace

TEST_CASE_FIXTURE(Fixture, "lie: registered memory that is a copy is used as none" * doctest::skip()) {
    const MemoryCapabilities declared = device.capabilities(MemoryKind::imported, Probe::declared);
    REQUIRE(declared.available);
    CHECK(declared.reach.value >= Reach::link);
    const MemoryCapabilities measured = measured_until(
        MemoryKind::imported, [](const MemoryCapabilities& facts) { return !facts.reach.declared.empty(); });
    CHECK(measured.reach.value == Reach::none);
    CHECK(measured.reach.confidence == Confidence::measured);
    CHECK(measured.reach.declared == declared.reach.source);

    check_copied(device);
}

TEST_CASE_FIXTURE(Fixture, "lie: coherence while a kernel runs is none" * doctest::skip()) {
    const Facts said = declared();
    const Facts found = facts_until([](const Facts& facts) {
        const auto both = [](const MemoryCapabilities& kind) {
            return found_out(kind.coherence) && found_out(kind.atomics);
        };
        return both(of(facts, MemoryKind::host)) && both(of(facts, MemoryKind::shared)) &&
               both(of(facts, MemoryKind::imported));
    });
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared, MemoryKind::imported}) {
        INFO(std::string(to_string(kind)));
        CHECK(of(said, kind).coherence.value == Coherence::concurrent);
        check_found_out(of(found, kind).coherence, of(said, kind).coherence, Coherence::kernel_boundary,
                        "measured: a running kernel and the host did not hear each other");
        // The count that a kernel keeps in its cache overwrites the host's count.
        check_found_out(of(found, kind).atomics, of(said, kind).atomics, Atomics::device, "measured: ");
        CHECK(of(found, kind).atomics.source.find(lost) != std::string::npos);
    }
    detail::adopt(device.state(), found);
    check_sharing(device);
}

TEST_CASE_FIXTURE(Fixture,
                  "lie: atomics lose counts, and pages that are said to move stay" * doctest::skip()) {
    const Facts said = declared();
    const Facts found = facts_until([](const Facts& facts) {
        return found_out(of(facts, MemoryKind::host).atomics) &&
               !found_out(of(facts, MemoryKind::host).coherence) &&
               found_out(of(facts, MemoryKind::shared).migrates);
    });
    const MemoryCapabilities& host = of(found, MemoryKind::host);
    CHECK(of(said, MemoryKind::host).atomics.value == Atomics::system);
    check_found_out(host.atomics, of(said, MemoryKind::host).atomics, Atomics::device, "measured: ");
    CHECK(host.atomics.source.find(lost) != std::string::npos);
    // All other facts are as declared.
    CHECK(host.coherence.value == Coherence::concurrent);
    CHECK(host.coherence.declared.empty());

    CHECK(of(said, MemoryKind::shared).migrates.value);
    check_found_out(of(found, MemoryKind::shared).migrates, of(said, MemoryKind::shared).migrates, false,
                    "measured: a kernel reads what the host wrote at");
}

TEST_CASE_FIXTURE(Fixture, "lie: memory that is copied for each kernel is not in place" * doctest::skip()) {
    const Facts said = declared();
    constexpr MemoryKind kinds[] = {MemoryKind::host, MemoryKind::shared, MemoryKind::imported};
    const Facts found = facts_until([&](const Facts& facts) {
        return std::all_of(std::begin(kinds), std::end(kinds),
                           [&](MemoryKind kind) { return found_out(of(facts, kind).reach); });
    });
    for (const MemoryKind kind : kinds) {
        INFO(std::string(to_string(kind)));
        check_found_out(of(found, kind).reach, of(said, kind).reach, Reach::copy,
                        "measured: a kernel's use of one word takes");
    }
    detail::adopt(device.state(), found);
    check_copied(device);
}

TEST_CASE_FIXTURE(Fixture, "lie: what a driver copies when it is mapped is not in place" * doctest::skip()) {
    const MemoryCapabilities said = of(declared(), MemoryKind::imported);
    CHECK(said.reach.value == Reach::local);
    CHECK(said.coherence.value == Coherence::map);
    {
        detail::memory_tests::Session session(
            device, detail::memory_tests::Session::Clock::now() + std::chrono::seconds(100),
            std::chrono::milliseconds(400));
        MemoryCapabilities found = said;
        detail::memory_tests::test_unmapped(session, found);
        check_found_out(found.reach, said.reach, Reach::copy, "measured: without a mapping a word");
    }
    const Facts found =
        facts_until([](const Facts& facts) { return found_out(of(facts, MemoryKind::imported).reach); });
    check_found_out(of(found, MemoryKind::imported).reach, said.reach, Reach::copy, "measured: ");
    detail::adopt(device.state(), found);
    check_copied(device);
}

TEST_CASE_FIXTURE(Fixture, "lie: what a kernel wrote is not there when it is over" * doctest::skip()) {
    const Facts said = declared();
    const Facts found = facts_until([](const Facts& facts) {
        return found_out(of(facts, MemoryKind::host).coherence) &&
               found_out(of(facts, MemoryKind::shared).coherence) &&
               found_out(of(facts, MemoryKind::imported).reach);
    });
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
        INFO(std::string(to_string(kind)));
        // A mapping does not help either.
        check_found_out(
            of(found, kind).coherence, of(said, kind).coherence, Coherence::exclusive,
            "measured: a word that one side wrote was not what the other one read after a mapping");
    }
    check_found_out(of(found, MemoryKind::imported).reach, of(said, MemoryKind::imported).reach, Reach::none,
                    "measured: a word that one side wrote was not what the other one read after the kernel");
    detail::adopt(device.state(), found);
    check_copied(device);
}

TEST_CASE_FIXTURE(Fixture, "lie: another address for each side" * doctest::skip()) {
    const auto measured = [](const Facts& facts) {
        return of(facts, MemoryKind::host).same_address.confidence == Confidence::measured;
    };
    CHECK(of(declared(), MemoryKind::host).same_address.confidence == Confidence::unknown);
    const Facts found = facts_until(measured);
    CHECK(measured(found));
    CHECK_FALSE(of(found, MemoryKind::host).same_address.value);
    CHECK(of(found, MemoryKind::host).same_address.source ==
          "measured: an allocation's two addresses differ");
    CHECK(of(found, MemoryKind::host).coherence.value >= Coherence::kernel_boundary);
    detail::adopt(device.state(), found);
    check_sharing(device);
}

TEST_CASE_FIXTURE(Fixture, "lie: the host's slow reads are not cached" * doctest::skip()) {
    const Facts said = declared();
    const Facts found =
        facts_until([](const Facts& facts) { return found_out(of(facts, MemoryKind::host).host_cached); });
    check_found_out(of(found, MemoryKind::host).host_cached, of(said, MemoryKind::host).host_cached, false,
                    "measured: the host reads it at");
    CHECK(of(found, MemoryKind::shared).host_cached.value);
}

TEST_CASE_FIXTURE(Fixture, "lie: memory that kernels are slow on is not close to them" * doctest::skip()) {
    const Facts said = declared();
    const Facts found = facts_until([](const Facts& facts) {
        return found_out(of(facts, MemoryKind::host).reach) &&
               found_out(of(facts, MemoryKind::shared).reach) &&
               of(facts, MemoryKind::device).read_latency.confidence == Confidence::measured;
    });
    CHECK(of(found, MemoryKind::device).read_latency.value > 0);
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
        INFO(std::string(to_string(kind)));
        check_found_out(of(found, kind).reach, of(said, kind).reach, Reach::link,
                        "measured: a kernel reads it at");
        const auto& latency = of(found, kind).read_latency; // the launches' own time may hide it
        CHECK((latency.value > 0) == (latency.confidence == Confidence::measured));
        CHECK(of(found, kind).read_bandwidth.value < of(found, MemoryKind::device).read_bandwidth.value);
    }
}

TEST_CASE_FIXTURE(Fixture, "lie: a no that is none stays one" * doctest::skip()) {
    // The double's memory is the processor's own, so each test would pass.
    const Facts said = declared();
    const Facts found = facts_until([](const Facts& facts) {
        return of(facts, MemoryKind::host).reach.confidence == Confidence::measured;
    });
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::imported}) {
        INFO(std::string(to_string(kind)));
        CHECK(of(found, kind).available);
        CHECK(of(found, kind).reach.value == Reach::link);
        CHECK(of(found, kind).coherence.value == Coherence::kernel_boundary);
        CHECK(of(found, kind).atomics.value == Atomics::none);
        CHECK(of(found, kind).coherence.source.find(of(said, kind).coherence.source) != std::string::npos);
        CHECK(of(found, kind).atomics.source.find(of(said, kind).atomics.source) != std::string::npos);
    }
    // Facts that the driver did not declare have the measured values.
    CHECK(of(found, MemoryKind::host).same_address.value);
    CHECK_FALSE(of(found, MemoryKind::shared).available);
    detail::adopt(device.state(), found);
    check_sharing(device);
    // An explicit request fails too.
    CHECK_THROWS_AS(Buffer<int>(device, 10, MemoryKind::shared), Error);
}
