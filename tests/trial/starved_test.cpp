// SPDX-License-Identifier: Apache-2.0
// A host thread that gets little processor time while a kernel runs. The HIP stand-in needs long to report
// whether a stream is idle, and its kernels continue meanwhile.
#include "measure/memory_tests.hpp"
#include "trial_fixture.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace ferry;
using namespace trial_test;
using detail::child_run::Facts;

namespace {

bool is_double(const Device& device) {
    return device.info().name.find("HIP double on the CPU") != std::string::npos;
}

/// The double's memory is coherent, as declared. No test may find the opposite.
MemoryCapabilities checked(const detail::child_run::Found& found) {
    const MemoryCapabilities& host = found.facts[static_cast<std::size_t>(MemoryKind::host)];
    INFO(host.coherence.source);
    CHECK(host.coherence.value == Coherence::concurrent);
    CHECK(host.coherence.declared.empty());
    CHECK(host.coherence.source.find("unknown:") == std::string::npos);
    return host;
}

} // namespace

TEST_CASE_FIXTURE(Fixture, "trial: a host that looks too late at each kernel has shown nothing") {
    if (!is_double(device)) {
        return;
    }
    fault("starve 100", "host ordering");
    const MemoryCapabilities facts = checked(run(true, false, std::chrono::seconds(2)));
    // Otherwise another process tries it. On a busy machine, the kernel may run long enough.
    CHECK((facts.coherence.confidence == Confidence::measured || detail::memory_tests::is_cut_short(facts)));
}

TEST_CASE_FIXTURE(Fixture, "trial: a host that looks seldom gets kernels that live long enough for it") {
    if (!is_double(device)) {
        return;
    }
    fault("starve 20", "host ordering");
    const Facts facts = facts_until([](const Facts& found) {
        return found[static_cast<std::size_t>(MemoryKind::host)].coherence.confidence == Confidence::measured;
    });
    detail::child_run::Found found;
    found.facts = facts;
    found.answered = true;
    CHECK(checked(found).coherence.confidence == Confidence::measured);
}
