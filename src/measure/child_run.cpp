// SPDX-License-Identifier: Apache-2.0
#include "measure/child_run.hpp"

#include "base/settings.hpp"
#include "child/child_environment.hpp"
#include "child/child_process.hpp"
#include "child/tool.hpp"
#include "measure/memory_tests.hpp"
#include "measure/report.hpp"

#include <algorithm>

namespace ferry::detail::child_run {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_start = 30s; // A compiler's first run on a busy machine.
constexpr auto least = 3s;          // For each step, because other programs also use the processor.
constexpr auto for_tests = 800ms;   // At least.
constexpr auto for_costs = 1600ms;  // At least; a single round of each size may have been disturbed.
constexpr auto long_at_it = 1s;     // A step that was killed before this time started late, but was not slow.
constexpr auto longest_slots = 1s;  // Three times as long as their measurement.
constexpr int most_children = 4;

/// The child need not test a library that this process has just tested.
std::vector<std::string> environment_for(Backend backend) {
    return child_environment(backend, {{"FERRY_PROBE", probe_setting() == Probing::off ? "off" : ""}});
}

std::string name_of(MemoryKind kind, const memory_tests::Test& test) {
    return std::string(to_string(kind)) + ' ' + std::string(test.name);
}

void excuse_late(Facts& facts, const std::vector<Step>& done) {
    for (MemoryCapabilities& one : facts) {
        for (const memory_tests::Test& test : memory_tests::tests_of(one.kind)) {
            if (std::find(done.begin(), done.end(), name_of(one.kind, test)) == done.end()) {
                memory_tests::excuse_late(one, test);
            }
        }
    }
}

/// The tests that an earlier measurement has completed. Facts without enough time get their declared values
/// again.
std::vector<Step> reopen(DeviceState& device, Facts& facts) {
    std::vector<Step> done;
    if (std::none_of(facts.begin(), facts.end(),
                     [](const MemoryCapabilities& one) { return memory_tests::is_cut_short(one); })) {
        return done;
    }
    for (MemoryCapabilities& one : facts) {
        for (const memory_tests::Test& test : memory_tests::tests_of(one.kind)) {
            if (!memory_tests::had_no_time(one, test)) {
                done.push_back(name_of(one.kind, test));
            }
        }
        memory_tests::reopen(one, device.native().memory_facts(one.kind));
    }
    return done;
}

struct Attempt {
    ChildEnd end;
    bool garbled = false, greeted = false, done = false;
    std::string refused;
    Step ended_in;           ///< Empty: between two steps.
    Clock::duration in_it{}; ///< Time in this step.
};

Attempt try_once(const Tool& tool, const Request& request, const Time& time, Found& found,
                 std::vector<Step>& ended) {
    Report report(found.facts);
    Clock::time_point begun = Clock::now();
    Step step = "start";
    const auto take = [&](std::string_view bytes) {
        const bool sound = report.feed(bytes);
        if (report.current() != step && !report.current().empty()) {
            step = report.current();
            begun = Clock::now();
        }
        return sound && report.refused().empty();
    };
    const auto limit = [&]() -> Clock::time_point {
        if (step == "slots") {
            return time.patient ? begun + least : std::min(time.until + grace, begun + longest_slots);
        }
        if (!time.patient) {
            return time.until + grace;
        }
        return step == "start" ? begun + longest_start : std::max(time.until + grace, begun + least);
    };
    Attempt attempt;
    const std::vector<std::string> environment = environment_for(request.backend);
    attempt.end =
        run_child({.program = tool.path, .arguments = {tool.path, "litmus"}, .environment = &environment},
                  to_text(request), take, limit);
    attempt.garbled = !report.sound();
    attempt.greeted = report.greeted();
    attempt.done = report.done() && report.sound();
    attempt.refused = report.refused();
    attempt.ended_in = report.current();
    attempt.in_it = Clock::now() - begun;
    found.facts = report.facts();
    found.costs = report.costs() ? report.costs() : found.costs;
    found.slots = report.slots() ? report.slots() : found.slots;
    ended.insert(ended.end(), report.ended().begin(), report.ended().end());
    return attempt;
}

std::string how_it_ended(const Attempt& attempt) {
    if (attempt.garbled) {
        return "the child process printed an invalid report";
    }
    if (attempt.end.late) {
        return "the child process hung and was killed";
    }
    return "the child process " + std::string(attempt.end.started ? "was " : "") + attempt.end.how;
}

const memory_tests::Test* test_of(std::string_view step, MemoryKind& kind) {
    const auto read = kind_from(next_part(step, ' '));
    kind = read.value_or(MemoryKind{});
    for (const memory_tests::Test& test :
         read ? memory_tests::tests_of(*read) : std::span<const memory_tests::Test>()) {
        if (test.name == step) {
            return &test;
        }
    }
    return nullptr;
}

void doubt_step(Facts& facts, const Step& step, Interruption interruption, const std::string& how) {
    MemoryKind kind{};
    if (const memory_tests::Test* const test = test_of(step, kind)) {
        memory_tests::doubt(facts[static_cast<std::size_t>(kind)], *test, interruption,
                            how + " while measuring " + std::string(test->what));
    }
}

} // namespace

Found measure(DeviceState& device, const Facts& known, bool tests, bool costs, const Time& time, bool slots,
              const CostModel& costs_before) {
    Found found;
    found.facts = known;
    const Tool tool = find_tool();
    if (tool.path.empty()) {
        found.why_not = tool.why_not;
        return found;
    }
    Request request;
    request.backend = device.info().backend;
    request.index = device.info().index;
    request.identity = identity_of(device.info());
    request.until = time.until;
    request.at_least = !time.patient ? 0ms : costs ? for_tests + for_costs : for_tests;
    request.tests = tests;
    request.costs = costs;
    request.slots = slots;
    request.costs_before = costs_before;
    if (tests) {
        request.left_out = reopen(device, found.facts);
    }
    for (int child = 0; child < most_children; ++child) {
        request.facts = found.facts;
        std::vector<Step> ended;
        const Attempt attempt = try_once(tool, request, time, found, ended);
        const bool no_time = attempt.end.late && !time.patient;
        const bool had_device = std::find(ended.begin(), ended.end(), "start") != ended.end();
        if (no_time && !had_device) {
            found.answered = true;
            if (tests) {
                excuse_late(found.facts, request.left_out);
            }
            return found;
        }
        if (!attempt.refused.empty() || !had_device) {
            if (!found.answered) {
                found.why_not = attempt.refused.empty() ? how_it_ended(attempt) + " before it had the device"
                                                        : "the child process: " + attempt.refused;
                found.lasting = attempt.end.started;
            }
            return found;
        }
        found.answered = true;
        if (attempt.done) {
            return found;
        }
        request.left_out.insert(request.left_out.end(), ended.begin() + 1, ended.end());
        if (!no_time) {
            doubt_step(found.facts, attempt.ended_in, Interruption::crashed, how_it_ended(attempt));
            request.left_out.push_back(attempt.ended_in);
        } else if (attempt.in_it >= long_at_it) { // It may hang, so a positive answer of the driver does not
                                                  // count until this is known.
            doubt_step(found.facts, attempt.ended_in, Interruption::killed,
                       std::string("the child process was killed, since ") + memory_tests::too_late + ',');
            request.left_out.push_back(attempt.ended_in);
        }
        if (attempt.ended_in.starts_with("costs")) {
            request.costs = false;
        }
        if (attempt.ended_in == "slots") {
            found.slots.emplace();
        }
        request.slots = request.slots && std::find(ended.begin(), ended.end(), "slots") == ended.end() &&
                        attempt.ended_in != "slots";
        const bool more = time.patient && attempt.ended_in == "slots"; // No other step was tried yet.
        if (Clock::now() >= time.until && !more) {
            if (tests) {
                excuse_late(found.facts, request.left_out);
            }
            return found;
        }
    }
    return found;
}

void excuse_all(Facts& facts, const std::string& why) {
    for (MemoryCapabilities& one : facts) {
        for (const memory_tests::Test& test : memory_tests::tests_of(one.kind)) {
            memory_tests::excuse(one, test, why);
        }
    }
}

} // namespace ferry::detail::child_run
