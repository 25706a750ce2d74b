// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "child/child_environment.hpp"
#include "child/tool.hpp"
#include "probe/subject.hpp"
#include "probe/test_report.hpp"

#include <chrono>
#include <string>

namespace ferry::detail::probe {

/// The end of a child process that tested a library.
struct Outcome {
    bool started = false;
    bool sound = false; ///< the library opened, its devices were listed, and the process ended as it should
    bool late = false;  ///< a step took longer than the limit
    bool garbled = false;
    std::string how; ///< "ended by signal 11", "could not be started: ..."
    TestReport report;

    /// "ended by signal 11 in its constructor"
    std::string text(std::chrono::milliseconds limit) const;
};

/// Tests the subject in a child process with these changes to the environment: in the tool, or in a copy of
/// this process (fork()) if there is none. Blocks, at most for `limit` in each step.
Outcome run_test(const child_run::Tool& tool, Subject subject, const child_run::Variables& changes,
                 std::chrono::milliseconds limit);

} // namespace ferry::detail::probe
