// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "child/mark.hpp"

#include <ferry/export.hpp>

#include <functional>
#include <string_view>

namespace ferry::detail::child_run {

/// The child's side of a measurement. It reads a request from standard input (request.hpp), measures, and
/// reports each step before it begins and each result on standard output (report.hpp), line by line. No other
/// output gets there. For tests: `before` gets each line that announces a step, before the step begins.
///
/// A program that calls it has the mark among its constants:
///
///     const char* volatile const mark = FERRY_TRIAL_MARK;
///
/// Returns the exit status of the process: 0, or 2 if there was no valid request. Ends the process itself
/// once the report is complete, so that drivers' exit handlers cannot affect the result.
FERRY_API int serve(const std::function<void(std::string_view)>& before = {});

} // namespace ferry::detail::child_run
