// SPDX-License-Identifier: Apache-2.0
#include "probe/test_child.hpp"

#include "child/child_process.hpp"
#include "probe/serve_test.hpp"
#include "system/child_side.hpp"

namespace ferry::detail::probe {
namespace {

/// "5 s", "300 ms"
std::string duration(std::chrono::milliseconds time) {
    const auto count = time.count();
    return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

void serve_in_copy(Subject subject) {
    end_with_parent();
    serve_test(subject, take_output(), Host::copy);
}

} // namespace

std::string Outcome::text(std::chrono::milliseconds limit) const {
    const std::string where = report.has_greeted() ? " in " + report.phase() : " before it began";
    if (late) {
        return "gave no answer within " + duration(limit) + where;
    }
    if (report.threw()) {
        return "got an exception from it" + where;
    }
    if (report.quick()) {
        return "ended by quick_exit()" + where;
    }
    if (garbled) {
        return "wrote no report" + where;
    }
    return how + where;
}

Outcome run_test(const child_run::Tool& tool, Subject subject, const child_run::Variables& changes,
                 std::chrono::milliseconds limit) {
    Outcome outcome;
    child_run::Clock::time_point begun = child_run::Clock::now();
    const auto take = [&](std::string_view bytes) {
        const unsigned before = outcome.report.steps();
        outcome.garbled = !outcome.report.feed(bytes);
        if (outcome.report.steps() != before) {
            begun = child_run::Clock::now();
        }
        return !outcome.garbled;
    };
    const std::vector<std::string> environment = child_run::child_environment(subject.backend, changes);
    ProcessStart start{.environment = &environment};
    if (tool.path.empty()) {
        start.function = [subject] { serve_in_copy(subject); };
    } else {
        start.program = tool.path;
        start.arguments = {tool.path, "litmus"};
    }
    const child_run::ChildEnd end =
        child_run::run_child(std::move(start), request_text(subject), take, [&] { return begun + limit; });
    outcome.started = end.started;
    outcome.how = end.how;
    // Without a status the last line counts. A process that the library has started may keep the output open
    // after the child has ended: that is not late.
    outcome.sound = outcome.report.left() && (!end.status || exit_code(*end.status) == sound_status);
    outcome.late = !outcome.sound && end.late;
    return outcome;
}

} // namespace ferry::detail::probe
