// SPDX-License-Identifier: Apache-2.0
#include "knowledge/facts_text.hpp"
#include "measure/child_run.hpp"
#include "measure/device_knowledge.hpp"
#include "measure/memory_tests.hpp"
#include "staging/slot_sizes.hpp"
#include "trial_fixture.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

using namespace ferry;
using namespace ferry::detail;
using namespace trial_test;
using child_run::Facts;
using child_run::Found;

namespace {

const MemoryCapabilities& of(const Facts& facts, MemoryKind kind) {
    return facts[static_cast<std::size_t>(kind)];
}

bool measured(const MemoryCapabilities& facts) {
    return facts.reach.confidence == Confidence::measured ||
           facts.host_cached.confidence == Confidence::measured ||
           facts.same_address.confidence == Confidence::measured;
}

/// A test that applies to memory of kind host as it is declared. If there is one that runs beside a kernel,
/// that one is used.
const memory_tests::Test& a_test(const Facts& declared) {
    const memory_tests::Test* found = nullptr;
    for (const memory_tests::Test& test : memory_tests::tests_of(MemoryKind::host)) {
        if (test.applies(of(declared, MemoryKind::host)) && (found == nullptr || test.name == "ordering")) {
            found = &test;
        }
    }
    REQUIRE(found != nullptr);
    return *found;
}

void check_doubted(const Found& found, const memory_tests::Test& test, const Facts& declared,
                   const std::string& how) {
    const MemoryCapabilities& now = of(found.facts, MemoryKind::host);
    const MemoryCapabilities& before = of(declared, MemoryKind::host);
    const auto check = [&](const auto& fact, const auto& was) {
        CHECK(fact.confidence == Confidence::unknown);
        CHECK(fact.value <= was.value);
        CHECK(fact.declared.empty());
        CHECK_MESSAGE(fact.source.find("unknown: the child process " + how) == 0, fact.source);
        CHECK_MESSAGE(fact.source.find(std::string(test.what)) != std::string::npos, fact.source);
    };
    if ((test.asked & memory_tests::asks_reach) != 0) {
        check(now.reach, before.reach);
    }
    if ((test.asked & memory_tests::asks_coherence) != 0) {
        check(now.coherence, before.coherence);
    }
    if ((test.asked & memory_tests::asks_atomics) != 0) {
        check(now.atomics, before.atomics);
        CHECK(now.atomics.value < Atomics::system);
    }
    if ((test.asked & memory_tests::asks_same_address) != 0) {
        check(now.same_address, before.same_address);
    }
}

/// Checks that the facts are as declared by the driver, and that the source of each fact that a test would
/// have measured has the reason.
void check_not_measured(const MemoryCapabilities& here, const MemoryCapabilities& said) {
    for (const memory_tests::Test& test : memory_tests::tests_of(said.kind)) {
        if (!said.available || !test.applies(said) || (test.asked & memory_tests::asks_coherence) == 0) {
            continue;
        }
        CHECK(here.coherence.confidence == said.coherence.confidence);
        CHECK(here.coherence.value == said.coherence.value);
        CHECK_MESSAGE(here.coherence.source.find("; not measured: the child process") != std::string::npos,
                      here.coherence.source);
    }
}

} // namespace

TEST_CASE_FIXTURE(Fixture, "trial: a child measures, and its parent uses the results") {
    const Found found = run();
    REQUIRE_MESSAGE(found.answered, found.why_not);
    CHECK_FALSE(found.costs.has_value());
    CHECK(measured(of(found.facts, MemoryKind::host)));
    for (const MemoryKind kind : child_run::kinds) {
        CHECK(of(found.facts, kind).kind == kind);
        CHECK(of(found.facts, kind).available == of(declared(), kind).available);
        CHECK(of(found.facts, kind).reach.source.find("unknown:") == std::string::npos);
    }
}

TEST_CASE_FIXTURE(Fixture, "trial: memory that is mapped in place is the same without a mapping") {
    MemoryCapabilities said = of(declared(), MemoryKind::imported);
    const bool mapped = said.coherence.value == Coherence::map && said.reach.value >= Reach::link;
    const auto tests = memory_tests::tests_of(MemoryKind::imported);
    const auto test =
        std::find_if(tests.begin(), tests.end(), [](const auto& t) { return t.name == "unmapped"; });
    REQUIRE(test != tests.end());
    CHECK(test->applies(said) == mapped);
    memory_tests::Session session(device, memory_tests::Session::Clock::now() + std::chrono::seconds(100),
                                  std::chrono::milliseconds(400));
    MemoryCapabilities found = said;
    memory_tests::test_unmapped(session, found);
    CHECK(found.reach.source == said.reach.source); // the test found no contradiction, which is no proof
    CHECK(found.reach.value == said.reach.value);
}

TEST_CASE_FIXTURE(Fixture, "trial: promises about the program's own memory hold while kernels run") {
    const MemoryCapabilities said = of(declared(), MemoryKind::imported);
    if (!said.available || said.coherence.value != Coherence::concurrent) {
        return;
    }
    const Facts facts = facts_until([](const Facts& found) {
        const MemoryCapabilities& own = of(found, MemoryKind::imported);
        return own.coherence.declared.empty() && own.atomics.declared.empty();
    });
    const MemoryCapabilities& own = of(facts, MemoryKind::imported);
    CHECK_MESSAGE(own.coherence.source.find("measured: a running kernel and the host heard each other") == 0,
                  own.coherence.source);
    CHECK(own.coherence.value == said.coherence.value);
    CHECK(own.atomics.value == said.atomics.value);
    CHECK((own.atomics.confidence == Confidence::measured) == (said.atomics.value == Atomics::system));
}

TEST_CASE_FIXTURE(Fixture, "trial: only requested facts are measured") {
    const Found found = run(false);
    REQUIRE_MESSAGE(found.answered, found.why_not);
    CHECK_FALSE(found.costs.has_value());
    CHECK_FALSE(measured(of(found.facts, MemoryKind::host)));
}

TEST_CASE_FIXTURE(Fixture, "trial: a child that ends early costs the answer it was at, and no other") {
    const memory_tests::Test& test = a_test(declared());
    struct Way {
        const char* fault;
        const char* how;
    };
    for (const Way way :
         {Way{"crash", "was ended by signal 11"}, Way{"kill", "was ended by signal 9"},
          Way{"leave", "was ended with status 7"}, Way{"nonsense", "printed an invalid report"},
          Way{"flood", "printed an invalid report"}}) {
        INFO(way.fault, " at ", std::string(test.name));
        fault(way.fault, "host " + std::string(test.name));
        const Found found = run();
        REQUIRE_MESSAGE(found.answered, found.why_not);
        check_doubted(found, test, declared(), way.how);
        // The next child continued after it.
        CHECK(measured(of(found.facts, MemoryKind::host)));
        CHECK(of(found.facts, MemoryKind::imported).reach.source.find("unknown:") == std::string::npos);
    }
}

TEST_CASE_FIXTURE(Fixture, "trial: a child that hangs is killed, and costs that answer") {
    // The first test, so that its time is not over before it begins.
    const memory_tests::Test& test = memory_tests::tests_of(MemoryKind::host).front();
    fault("hang", "host " + std::string(test.name));
    const Found found = run(true, false, std::chrono::seconds(3));
    REQUIRE_MESSAGE(found.answered, found.why_not);
    check_doubted(found, test, declared(), "hung and was killed");
}

TEST_CASE_FIXTURE(Fixture,
                  "trial: without patience a start that takes too long is ended, and nothing is doubted") {
    fault("hang", "start");
    const auto until = child_run::Clock::now() + std::chrono::milliseconds(100);
    const Found found = child_run::measure(device.state(), declared(), true, true, {until});
    CHECK(found.answered); // otherwise this process would run the tests itself
    CHECK_FALSE(found.costs.has_value());
    for (const MemoryKind kind : child_run::kinds) {
        const bool tested =
            std::ranges::any_of(memory_tests::tests_of(kind), [&](const memory_tests::Test& test) {
                return of(found.facts, kind).available && test.applies(of(found.facts, kind));
            });
        const MemoryCapabilities& facts = of(found.facts, kind);
        CHECK(memory_tests::is_cut_short(facts) == tested);
        CHECK(to_text(facts).find("unknown:") == std::string::npos);
        for (const Interruption interruption :
             {facts.reach.interruption, facts.coherence.interruption, facts.host_cached.interruption}) {
            CHECK((interruption == Interruption::none || interruption == Interruption::late));
        }
    }
}

TEST_CASE_FIXTURE(Fixture,
                  "trial: without patience a step that hangs ends with the time, and counts as no yes") {
    const memory_tests::Test& test = memory_tests::tests_of(MemoryKind::host).front();
    fault("hang", "host " + std::string(test.name));
    Found found;
    for (int seconds = 2; seconds < 100; seconds *= 2) { // until the start is no longer the longest step
        const auto until = child_run::Clock::now() + std::chrono::seconds(seconds);
        found = child_run::measure(device.state(), declared(), true, true, {until});
        if (to_text(of(found.facts, MemoryKind::host)).find("unknown:") != std::string::npos) {
            break;
        }
    }
    check_doubted(found, test, declared(), "was killed, since the time for measuring was over,");
    CHECK(memory_tests::is_cut_short(of(found.facts, MemoryKind::host))); // another process tries it again
    CHECK_FALSE(found.costs.has_value());
}

TEST_CASE_FIXTURE(Fixture, "trial: costs of a size are not begun when the time is over") {
    using std::chrono::milliseconds;
    const Measuring measuring;
    std::vector<std::size_t> begun;
    memory_tests::Session none(device, child_run::Clock::now(), milliseconds(0));
    CHECK_FALSE(calibrate(none, [&](std::size_t bytes) { begun.push_back(bytes); }).known());
    CHECK(begun.empty());

    memory_tests::Session little(device, child_run::Clock::now(), milliseconds(500));
    const CostModel found = calibrate(little, [&](std::size_t bytes) {
        begun.push_back(bytes);
        std::this_thread::sleep_for(milliseconds(600));
    });
    CHECK(begun.size() <= 1); // none if the preparation of the session took all the time
    CHECK_FALSE(found.known());
}

TEST_CASE_FIXTURE(Fixture, "trial: costs go on with the first size that an earlier process had no time for, "
                           "and measure its sizes again") {
    const Measuring measuring;
    CostModel before;
    for (RoundCosts& costs : before.ordinary) {
        for (Curve* const curve :
             {&costs.reads, &costs.writes, &costs.updates, &costs.read_again, &costs.update_again}) {
            curve->seconds = {1000, 1000}; // No round is as slow.
        }
    }
    REQUIRE(before.sizes() == 2);
    std::vector<std::size_t> begun;
    memory_tests::Session session(device, child_run::Clock::now(), std::chrono::seconds(300));
    const CostModel found = calibrate(
        session, [&](std::size_t bytes) { begun.push_back(bytes); }, {}, before);
    REQUIRE(!begun.empty());
    CHECK(begun.front() == Curve::sizes[2]);
    const auto again = std::find(begun.begin(), begun.end(), Curve::sizes[0]);
    CHECK(std::find(begun.begin(), again, Curve::sizes[3]) != again); // After the sizes that are missing.
    const Curve& reads = found.ordinary[static_cast<std::size_t>(Placement::stage)].reads;
    for (const double seconds : reads.seconds) {
        CHECK(seconds < 1000);
    }
    CHECK(found.known());
}

TEST_CASE_FIXTURE(Fixture,
                  "trial: memory whose use ended a child is in doubt, however fast kernels are on it") {
    const MemoryCapabilities said = of(declared(), MemoryKind::imported);
    int tried = 0;
    for (const memory_tests::Test& test : memory_tests::tests_of(MemoryKind::imported)) {
        const bool asks_reach = (test.asked & memory_tests::asks_reach) != 0;
        if (!asks_reach || !said.available || !test.applies(said)) {
            continue;
        }
        ++tried;
        const std::string name(test.name);
        INFO(name);
        fault("crash", "imported " + name);
        const Found found = run();
        REQUIRE_MESSAGE(found.answered, found.why_not);
        const MemoryCapabilities& facts = of(found.facts, MemoryKind::imported);
        CHECK(facts.reach.confidence == Confidence::unknown);
        CHECK(facts.reach.value == Reach::none);
        CHECK_MESSAGE(facts.reach.source.find("unknown: the child process was") == 0, facts.reach.source);
        CHECK(facts.read_bandwidth.value == 0);
        CHECK(measured(of(found.facts, MemoryKind::host)));
    }
    MESSAGE(device.id(), ": ", tried, " tests of imported memory that end their child");
    CHECK((tried != 0) == (said.available && said.reach.value != Reach::none));
}

TEST_CASE_FIXTURE(Fixture, "trial: costs that end a child are not known, and facts are") {
    fault("crash", "costs 65536");
    const Found found = run(true, true);
    REQUIRE_MESSAGE(found.answered, found.why_not);
    CHECK(measured(of(found.facts, MemoryKind::host)));
    REQUIRE(found.costs.has_value());
    CHECK_FALSE(found.costs->known());
}

TEST_CASE_FIXTURE(Fixture,
                  "trial: a child that never has the device is the answer, and nothing is measured here") {
    for (const char* const way : {"crash", "leave", "nonsense"}) {
        INFO(way);
        fault(way, "start");
        const Found found = run();
        CHECK_FALSE(found.answered);
        CHECK(found.lasting);
        CHECK(found.why_not.find("before it had the device") != std::string::npos);

        for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
            const MemoryCapabilities here = device.capabilities(kind, Probe::fresh);
            CHECK_FALSE(measured(here));
            check_not_measured(here, of(declared(), kind));
            // Other processes use this result too, until the library changes.
            fault("", "");
            forget(device.state());
            CHECK(to_text(device.capabilities(kind)) == to_text(here));
            fault(way, "start");
        }
    }
}

TEST_CASE_FIXTURE(Fixture, "trial: copies through slots that end or hang their child cost no other answer") {
    if (!device.state().native().gains_from_staging()) {
        return;
    }
    for (const char* const way : {"crash", "hang"}) {
        INFO(way);
        fault(way, "slots");
        const Found found = run(true, false, std::chrono::seconds(100), true);
        REQUIRE_MESSAGE(found.answered, found.why_not);
        REQUIRE(found.slots.has_value());
        CHECK(found.slots->empty());
        CHECK(measured(of(found.facts, MemoryKind::host)));
    }
    fault("", "");
    // Whether the rates settle depends on the machine.
    const Found sound = run(false, false, std::chrono::seconds(100), true);
    REQUIRE(sound.answered);
    CHECK((!sound.slots || sound.slots->size() == staging::slot_sizes.size()));
}

TEST_CASE_FIXTURE(Fixture,
                  "trial: copies through slots that end their child are measured by no later process") {
    if (!device.state().native().gains_from_staging()) {
        return;
    }
    fault("crash", "slots");
    static_cast<void>(device.capabilities(MemoryKind::host, Probe::fresh));
    CHECK(known_slot_rates(device.state()).empty());
    forget_slot_rates();
    int times = 0;
    learn_slot_rates(device.state(), false, [&](std::chrono::milliseconds) {
        ++times;
        return std::optional<std::vector<staging::SlotRate>>();
    });
    CHECK(times == 0);
    static_cast<void>(clear_cache());
    forget_slot_rates();
}

TEST_CASE_FIXTURE(Fixture, "trial: a doubt is used, and kept for the next time") {
    const memory_tests::Test& test = a_test(declared());
    fault("crash", "host " + std::string(test.name));
    const MemoryCapabilities found = measured_until(MemoryKind::host, [](const MemoryCapabilities& facts) {
        return to_text(facts).find("unknown: the child") != std::string::npos;
    });
    fault("", "");
    const MemoryCapabilities again = device.capabilities(MemoryKind::host);
    CHECK(to_text(again) == to_text(found));
    CHECK(to_text(again).find("unknown: the child process was ended by signal 11") != std::string::npos);
    CHECK(to_text(known_capabilities(device.state(), MemoryKind::host, {})) == to_text(found));
    // A fresh measurement removes the doubt.
    const MemoryCapabilities sound = device.capabilities(MemoryKind::host, Probe::fresh);
    CHECK(to_text(sound).find("unknown: the child") == std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "trial: facts that the time was too short for say so, and are measured again") {
    const auto text_of = [&](Probe probe) { return to_text(device.capabilities(MemoryKind::host, probe)); };
    const std::string over = "not measured: the time for measuring was over";
    static_cast<void>(clear_cache()); // it counts the attempts of earlier runs
    const memory_tests::Test& address = memory_tests::tests_of(MemoryKind::host).front();
    std::string first; // the first test after `address`
    for (const memory_tests::Test& test : memory_tests::tests_of(MemoryKind::host).subspan(1)) {
        first = first.empty() && test.applies(declared()[1]) ? "host " + std::string(test.name) : first;
    }
    fault("late", first);
    const std::string cut = text_of(Probe::fresh);
    CHECK_MESSAGE(cut.find(over) != std::string::npos, cut);
    CHECK(text_of(Probe::cached) == cut); // in this process
    // The last test without enough time. It shows later whether it is measured, however little time there is.
    const memory_tests::Test* last = nullptr;
    for (const memory_tests::Test& test : memory_tests::tests_of(MemoryKind::host)) {
        last = memory_tests::had_no_time(device.capabilities(MemoryKind::host), test) ? &test : last;
    }
    REQUIRE(last != nullptr);
    const MemoryCapabilities cut_facts = device.capabilities(MemoryKind::host);
    const std::string next = "host " + std::string(last->name);
    fault("crash", next);
    forget(device.state());
    CHECK(to_text(known_capabilities(device.state(), MemoryKind::host, {})) == cut); // better than no facts
    Facts known;
    for (std::size_t i = 0; i < known.size(); ++i) {
        known[i] = device.capabilities(child_run::kinds[i]);
    }
    known[1] = cut_facts;
    const Found again = child_run::measure(device.state(), known, true, false,
                                           {child_run::Clock::now() + std::chrono::seconds(100), true});
    const std::string now = to_text(of(again.facts, MemoryKind::host));
    CHECK_MESSAGE(now.find("unknown: the child process was ended by signal 11") != std::string::npos, now);
    if (!memory_tests::had_no_time(cut_facts, address)) { // completed tests are kept
        CHECK(of(again.facts, MemoryKind::host).same_address.source == cut_facts.same_address.source);
        CHECK(of(again.facts, MemoryKind::host).same_address.confidence == cut_facts.same_address.confidence);
    }
    CHECK_FALSE(memory_tests::is_cut_short(of(again.facts, MemoryKind::host)));

    // After three slow attempts it is not tried again.
    fault("late", first);
    for (int i = 0; i < 2; ++i) {
        static_cast<void>(text_of(Probe::fresh));
    }
    const std::string left = text_of(Probe::cached);
    CHECK_MESSAGE(left.find(over) != std::string::npos, left);
    fault("crash", next);
    forget(device.state());
    CHECK(text_of(Probe::cached) == left);
}

TEST_CASE_FIXTURE(Fixture, "trial: a child has no file and no signal of its parent's") {
    const int kept = ::fcntl(::dup(0), F_DUPFD, 100); // without FD_CLOEXEC
    REQUIRE(kept >= 100);
    fault("descriptors", "start");
    const auto before = std::signal(SIGCHLD, SIG_IGN); // the system reaps children itself
    const Found found = run();
    std::signal(SIGCHLD, before);
    ::close(kept);
    CHECK_MESSAGE(found.answered, found.why_not);
}
