// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/calibration.hpp"
#include "device_state.hpp"
#include "request.hpp"

#include <optional>
#include <string>

// A driver that errs may end the process that tries it, or never answer. So what is tested of a device is
// tested in a process of its own (child.hpp) by the ferry tool (tool.hpp), which is asked (request.hpp) and
// answers line by line (report.hpp): what it had found before it ended counts.
namespace ferry::detail::trial {

struct Found {
    Facts facts;
    std::optional<Calibration> costs; ///< empty: none, or they were not asked for
    /// The child came so far that it had the device: `facts` are what is known, also of what ended it.
    bool answered = false;
    std::string why_not; ///< a part of a sentence, if not
};

/// Measures the device in a child process, and in another one if that ended early, without what ended it.
/// Blocks until a little after `until`; longer where a step hangs, which has 3 s, or the start, which has as
/// long as drivers and compilers take, up to 30 s. Never throws for what happens there.
Found measure(DeviceState& device, const Facts& known, bool tests, bool costs, Clock::time_point until);

/// What of the facts was not measured, and why, in the sources of those that risky tests would have settled.
void excuse_risky(Facts& facts, const std::string& why);

} // namespace ferry::detail::trial
