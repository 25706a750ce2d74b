// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_state.hpp"
#include "measure/child_run.hpp"

#include <ferry/ferry.hpp>

#include <chrono>
#include <cstdlib>
#include <string>

namespace trial_test {

/// The device selected by the environment, and the tool that fails on request.
struct Fixture {
    ferry::Device device = ferry::default_device();

    Fixture() { setenv("FERRY_TOOL", FERRY_TRIAL_TOOL, 1); }
    Fixture(const Fixture&) = delete;
    Fixture& operator=(const Fixture&) = delete;
    ~Fixture() {
        fault("", "");
        unsetenv("FERRY_TOOL");
    }

    void fault(const std::string& what, const std::string& step) {
        setenv("FERRY_TEST_FAULT", what.c_str(), 1);
        setenv("FERRY_TEST_STEP", step.c_str(), 1);
    }

    ferry::detail::child_run::Facts declared() {
        ferry::detail::child_run::Facts facts;
        for (std::size_t i = 0; i < facts.size(); ++i) {
            facts[i] = device.state().native().memory_facts(ferry::detail::child_run::kinds[i]);
        }
        return facts;
    }

    /// Measures with enough time for a busy machine, and waits for all steps.
    ferry::detail::child_run::Found run(bool tests = true, bool costs = false,
                                        std::chrono::seconds time = std::chrono::seconds(100),
                                        bool slots = false) {
        return ferry::detail::child_run::measure(device.state(), declared(), tests, costs,
                                                 {ferry::detail::child_run::Clock::now() + time, true},
                                                 slots);
    }

    /// Measures with as much time as needed until `enough` accepts the facts. A host that was kept from
    /// running proves nothing.
    template <class Enough>
    ferry::detail::child_run::Facts facts_until(Enough enough) {
        ferry::detail::child_run::Facts facts = run().facts;
        for (int more = 0; more < 20 && !enough(facts); ++more) {
            facts = run().facts;
        }
        return facts;
    }

    /// Measures until `enough` accepts the facts. On a busy machine, the 2 s of a measurement may be over
    /// before it begins.
    template <class Enough>
    ferry::MemoryCapabilities measured_until(ferry::MemoryKind kind, Enough enough) {
        ferry::MemoryCapabilities facts = device.capabilities(kind, ferry::Probe::fresh);
        for (int more = 0; more < 20 && !enough(facts); ++more) {
            facts = device.capabilities(kind, ferry::Probe::fresh);
        }
        return facts;
    }
};

} // namespace trial_test
