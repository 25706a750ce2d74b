// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/calibration.hpp"
#include "device_state.hpp"
#include "request.hpp"
#include "staging/slot_rates.hpp"

#include <optional>
#include <string>
#include <vector>

// A driver that errs may end the process that tries it, or never answer. So what is tested of a device is
// tested in a process of its own (child.hpp) by the ferry tool (tool.hpp), which is asked (request.hpp) and
// answers line by line (report.hpp): what it had found before it ended counts.
namespace ferry::detail::trial {

struct Found {
    Facts facts;
    std::optional<Calibration> costs; ///< empty: none, or they were not asked for
    /// The child came so far that it had the device, or there was no time for that: `facts` are what is
    /// known, also of what ended it.
    bool answered = false;
    std::string why_not; ///< a part of a sentence, if not
    /// There was a child, and it ended early, hung or refused: another process would see the same.
    bool lasting = false;
    /// Of copies through slots. No value: they did not settle, or were not asked for. Empty: they ended the
    /// child or hung it.
    std::optional<std::vector<staging::SlotRate>> slots;
};

struct Time {
    Clock::time_point until; ///< no step begins after it
    /// Drivers and compilers have as long as they take, up to 30 s, and there is some time for tests all the
    /// same; a step has 3 s. Else the child is killed `grace` after `until`, whatever it is at.
    bool patient = false;
};
inline constexpr std::chrono::milliseconds grace{400};

/// Measures the device in a child process, and in another one if that ended early, without what ended it.
/// Where there was no time once (litmus::is_cut_short()), only what was left then is tested, and of the costs
/// only the sizes that `costs_before` has not. Blocks until
/// `grace` after the time is over; longer with patience. What there was no time for is excused
/// (litmus::is_cut_short()). Never throws for what happens there.
Found measure(DeviceState& device, const Facts& known, bool tests, bool costs, const Time& time,
              bool slots = false, const Calibration& costs_before = {});

/// No test was run: the sources of the facts say why.
void excuse_all(Facts& facts, const std::string& why);

} // namespace ferry::detail::trial
