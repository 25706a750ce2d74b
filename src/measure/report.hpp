// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knowledge/placement_costs.hpp"
#include "measure/request.hpp"
#include "staging/slot_rates.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::detail::child_run {

/// Parser of a child's report. It consists of lines, in this order:
///
///     litmus 6 0.1.0                  greeting()
///     begin STEP                      the next step; the first is "start": device, driver and compiler
///     facts KIND                      and the lines of the record, known after the step
///     slots                           and a line for each size of slot
///     costs                           and the lines of the calibration
///     end                             of the step: its results count from now on
///     refused REASON                  instead of all else: there is no such device
///     done
class Report {
public:
    /// `facts`: the values before the measurement.
    explicit Report(const Facts& facts) : facts_(facts), coming_(facts) {}

    /// Parses a chunk of any size. Returns false once the input is malformed.
    bool feed(std::string_view bytes);

    bool greeted() const noexcept { return greeted_; }
    bool done() const noexcept { return done_; }
    bool sound() const noexcept { return sound_; }
    /// The reason of a refusal. Empty if there was none.
    const std::string& refused() const noexcept { return refused_; }
    /// The step that has begun and not ended. Empty between two.
    const Step& current() const noexcept { return current_; }
    const std::vector<Step>& ended() const noexcept { return ended_; }
    /// Of completed steps.
    const Facts& facts() const noexcept { return facts_; }
    const std::optional<CostModel>& costs() const noexcept { return costs_; }
    const std::optional<std::vector<staging::SlotRate>>& slots() const noexcept { return slots_; }

private:
    bool take(); ///< Parses one complete line or block of lines. Returns false if there is none yet.

    std::string waiting_;
    Facts facts_, coming_;
    std::optional<CostModel> costs_, coming_costs_;
    std::optional<std::vector<staging::SlotRate>> slots_;
    Step current_;
    std::vector<Step> ended_;
    std::string refused_;
    bool greeted_ = false, done_ = false, sound_ = true;
};

} // namespace ferry::detail::child_run
