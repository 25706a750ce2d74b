// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mark.hpp"

#include <ferry/export.hpp>

#include <functional>
#include <string_view>

namespace ferry::detail::trial {

/// The child's side of a trial: reads a request from standard input (request.hpp), measures, and tells on
/// standard output (report.hpp) line by line what it begins and what it found. Nobody else's words get there.
/// `before` gets each line that says what begins, before that does: for tests.
///
/// A program that calls it has the mark among its constants:
///
///     const char* volatile const mark = FERRY_TRIAL_MARK;
///
/// Returns what the process ends with: 0, or 2 if there was no request that it understands. Ends the process
/// itself once all is told: what drivers do at the end of a process can cost nothing then.
FERRY_API int serve(const std::function<void(std::string_view)>& before = {});

} // namespace ferry::detail::trial
