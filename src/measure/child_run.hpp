// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_state.hpp"
#include "knowledge/placement_costs.hpp"
#include "measure/request.hpp"
#include "staging/slot_rates.hpp"

#include <optional>
#include <string>
#include <vector>

// A faulty driver may end the process that tests it, or never answer. Tests of a device therefore run in a
// separate process (child.hpp) of the ferry tool (tool.hpp). It gets a request (request.hpp) and answers line
// by line (report.hpp), so results count even if it ends early.
namespace ferry::detail::child_run {

struct Found {
    Facts facts;
    std::optional<CostModel> costs; ///< Empty: there are none, or they were not requested.
    /// The child had the device, or there was no time for this. `facts` are the present knowledge, including
    /// the step that ended it.
    bool answered = false;
    std::string why_not; ///< A part of a sentence, if not answered.
    /// There was a child, and it ended early, hung or refused; another process would have the same result.
    bool lasting = false;
    /// Of copies through slots. No value: inconclusive, or not requested. Empty: they ended or hung the
    /// child.
    std::optional<std::vector<staging::SlotRate>> slots;
};

struct Time {
    Clock::time_point until; ///< No step begins after it.
    /// If true, drivers and compilers may take up to 30 s, and there is still some time for tests; a step has
    /// 3 s. Otherwise the child is killed `grace` after `until`, in any state.
    bool patient = false;
};
inline constexpr std::chrono::milliseconds grace{400};

/// Measures the device in a child process. If that ends early, measures in another one without the test that
/// ended it. If an earlier process ran out of time (memory_tests::is_cut_short()), only the remaining tests
/// run, and only the sizes that are not in `costs_before` are measured. Blocks until `grace` after the time
/// is over; longer with patience. Facts without time for a test are excused (memory_tests::is_cut_short()).
/// Never throws for a failure in the child.
Found measure(DeviceState& device, const Facts& known, bool tests, bool costs, const Time& time,
              bool slots = false, const CostModel& costs_before = {});

/// No test was run: the sources of the facts give the reason.
void excuse_all(Facts& facts, const std::string& why);

} // namespace ferry::detail::child_run
