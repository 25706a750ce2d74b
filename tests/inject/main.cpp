// SPDX-License-Identifier: Apache-2.0
// ferry_inject [--all] [--scenario NAME | --answers]: fails the vendor calls of each scenario and checks the
// outcome.
//
// A forwarding library (forward.cpp) is between Ferry and an implementation. A mode determines how often a
// call fails, its code, whether a failing wait waits, and whether the pool is on. With --all, the first
// twenty calls of each symbol, the last one and five others fail in each scenario and mode. In a scenario
// that compiles each time, the first two calls, the last one and another one fail. Without --all, the first
// and the last call of each symbol fail, in two modes that change from scenario to scenario, and in the
// scenarios that open the library the first twelve calls.
//
// Then the calls succeed, but they return absurd numbers, null, and names without an end. With --answers,
// only this part runs.
//
// Each outcome must be correct data or an Error that names the failed call. A crash, a hang, a wrong byte, a
// lost handle or an unusable device fails the test. So does a symbol that never fails, unless `never_called`
// gives the reason.
#include "inject.h"
#include "scenarios.hpp"

#include <ferry/error.hpp>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::inject {
namespace {

constexpr int most_symbols = 128;
constexpr int most_queries = 100; ///< of one function
constexpr long for_ever = 1'000'000'000;
constexpr unsigned patience = 60; ///< seconds for one failure

/// Memory shared by all processes of the test.
struct Shared {
    struct Row {
        long called, failed, errors, absorbed;
        long absurd; ///< successful calls with an absurd answer
    };
    Row rows[most_symbols];
    long calls[most_symbols]; ///< calls in the scenario without a failure
    unsigned queries[most_symbols][most_queries];
    std::size_t now; ///< index of the tested failure
    /// Live handles after the scenario and its repetitions, without a failure.
    std::array<long, handle_kinds> handles;
    long bad; ///< number of wrong outcomes
};
Shared* shared = nullptr;

struct Library {
    decltype(&ferry_inject_arm) arm;
    decltype(&ferry_inject_refuse_waits) refuse_waits;
    decltype(&ferry_inject_answer) answer;
    decltype(&ferry_inject_query) query;
    decltype(&ferry_inject_calls) calls;
    decltype(&ferry_inject_name) name;
    decltype(&ferry_inject_failed) failed;
    decltype(&ferry_inject_freed) freed;
    decltype(&ferry_inject_handles) handles;
};
Library library;

template <class F>
void find(void* from, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(from, name));
    if (function == nullptr) {
        std::printf("FAULT: the library has no %s\n", name);
        std::exit(2);
    }
}
void open_library() {
    void* const opened = dlopen(std::getenv("FERRY_INJECT_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
        std::printf("FAULT: %s\n", dlerror());
        std::exit(2);
    }
    find(opened, "ferry_inject_arm", library.arm);
    find(opened, "ferry_inject_refuse_waits", library.refuse_waits);
    find(opened, "ferry_inject_answer", library.answer);
    find(opened, "ferry_inject_query", library.query);
    find(opened, "ferry_inject_calls", library.calls);
    find(opened, "ferry_inject_name", library.name);
    find(opened, "ferry_inject_failed", library.failed);
    find(opened, "ferry_inject_freed", library.freed);
    find(opened, "ferry_inject_handles", library.handles);
}

struct Reason {
    std::string_view symbol, reason;
};
#include "never_called.inc"

std::string_view backend() {
    return std::getenv("FERRY_BACKEND");
}
bool is_opencl() {
    return backend() == "opencl";
}

struct Mode {
    long times;
    bool absurd;
    bool pool;
    bool waits; ///< whether a failing call waits, if it is a wait

    int code() const {
        constexpr int unknown = 77'777;
        const int plausible = is_opencl() ? -5 : 2; // CL_OUT_OF_RESOURCES, out of memory
        return !absurd ? plausible : times == 1 ? -unknown : unknown;
    }
};
/// Fails a call of a symbol. `call` is its number from 1.
struct Failure {
    int symbol;
    long call;
};

std::string describe(const Scenario& scenario, const Mode& mode, const Failure& failure) {
    return "scenario '" + scenario.name + "', call " + std::to_string(failure.call) + " of " +
           library.name(failure.symbol) + " fails " +
           (mode.times == for_ever ? "for ever" : std::to_string(mode.times) + " times") + " with " +
           std::to_string(mode.code()) + (mode.waits ? "" : " and does not wait") + ", pool " +
           (mode.pool ? "on" : "off");
}

void report(const std::string& where, const std::string& what) {
    ++shared->bad;
    std::printf("FAULT: %s: %s\n", where.c_str(), what.c_str());
}

/// Returns the error of a scenario; empty if it succeeded.
std::string run(const Scenario& scenario, std::string& wrong) {
    try {
        scenario.run();
    } catch (const Wrong& error) {
        wrong = error.what();
    } catch (const Error& error) {
        return error.what();
    } catch (const std::exception& error) {
        wrong = std::string("not an Error: ") + error.what();
    }
    return {};
}

using Handles = std::array<long, handle_kinds>;
constexpr std::array<const char*, handle_kinds> kind_names{"queues, programs and graphs", "events", "memory"};

Handles live_handles() {
    Handles live{};
    for (std::size_t kind = 0; kind < live.size(); ++kind) {
        live[kind] = library.handles(static_cast<int>(kind));
    }
    return live;
}
/// The kinds of which more handles live than in `most`, as a text. Waits a little, because a command may end
/// later than its scenario.
std::string grown(const Handles& most) {
    std::string kinds;
    for (int i = 0; i < 200; ++i) {
        const Handles live = live_handles();
        kinds.clear();
        for (std::size_t kind = 0; kind < live.size(); ++kind) {
            if (live[kind] > most[kind]) {
                kinds += (kinds.empty() ? "" : ", ") + std::string(kind_names[kind]) + " (" +
                         std::to_string(live[kind]) + " after " + std::to_string(most[kind]) + ")";
            }
        }
        if (kinds.empty()) {
            break;
        }
        usleep(1000);
    }
    return kinds;
}

/// Runs the scenario again, so that Ferry makes all objects that it makes once.
void run_again(const Scenario& scenario) {
    std::string ignored;
    for (int i = 0; i < 2; ++i) {
        static_cast<void>(run(scenario, ignored));
    }
}

/// Fails one call. Returns the kinds of handles that live on, or an empty text.
std::string fail_once(const Scenario& scenario, const Mode& mode, const Failure& failure) {
    Handles most = live_handles();
    std::string wrong;
    library.arm(failure.symbol, failure.call, mode.times, mode.code(), mode.waits ? 1 : 0);
    const std::string error = run(scenario, wrong);
    const bool failed = library.failed() != 0;
    library.arm(-1, 0, 0, 0, 1);
    if (!failed) {
        return {}; // this run made fewer calls
    }
    const std::string name = library.name(failure.symbol);
    const std::string where = describe(scenario, mode, failure);
    Shared::Row& row = shared->rows[failure.symbol];
    ++row.failed;
    ++(error.empty() ? row.absorbed : row.errors);
    if (!wrong.empty()) {
        report(where, "wrong: " + wrong);
    }
    if (!error.empty() && error.find(name) == std::string::npos) {
        report(where, "the error does not name the call: " + error);
    }
    if (scenario.opens) {
        for (std::size_t kind = 0; kind < most.size(); ++kind) {
            most[kind] = std::max(most[kind], shared->handles[kind]);
        }
        run_again(scenario);
        return grown(most);
    }
    try {
        use_device();
    } catch (const std::exception& after) {
        report(where, std::string("the device does not work afterwards: ") + after.what());
    }
    if (grown(most).empty()) {
        return {};
    }
    run_again(scenario); // gives back the memory of commands whose wait failed
    return grown(most);
}

void fail_one(const Scenario& scenario, const Mode& mode, const Failure& failure) {
    // A failure can make Ferry keep more objects for later, for example registered pages or memory of the
    // pool. Then the next run does not make the call, and the one after it calls again. A leak grows each
    // time.
    constexpr int attempts = 4;
    std::string grew = "once";
    for (int i = 0; i < attempts && !grew.empty(); ++i) {
        alarm(patience);
        grew = fail_once(scenario, mode, failure);
    }
    if (!grew.empty()) {
        report(describe(scenario, mode, failure), "more handles live each time: " + grew);
    }
}

/// Runs `body` in a child process. Returns a description of a bad end, or an empty text.
template <class F>
std::string in_child(const F& body) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        body();
        std::fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        return "the process ended with signal " + std::to_string(WTERMSIG(status)) + " (" +
               (WTERMSIG(status) == SIGALRM ? "no end" : strsignal(WTERMSIG(status))) + ")";
    }
    return status != 0 ? "the process ended with status " + std::to_string(WEXITSTATUS(status)) : "";
}

/// Runs the scenario a few times, so that Ferry has made all objects that it makes only once.
void warm_up(const Scenario& scenario) {
    alarm(10 * patience);
    std::string wrong;
    for (int i = 0; i < (scenario.opens ? 0 : 3); ++i) {
        static_cast<void>(run(scenario, wrong));
        use_device();
    }
}

void count_calls(const Scenario& scenario) {
    warm_up(scenario);
    library.arm(-1, 0, 0, 0, 1);
    std::string wrong;
    const std::string error = run(scenario, wrong);
    if (!error.empty() || !wrong.empty()) {
        report("scenario '" + scenario.name + "'", "fails without an injection: " + error + wrong);
    }
    for (int symbol = 0; library.name(symbol) != nullptr; ++symbol) {
        shared->calls[symbol] = library.calls(symbol);
        shared->rows[symbol].called += library.calls(symbol);
    }
    if (scenario.opens) {
        run_again(scenario);
        static_cast<void>(grown({})); // waits for the end of commands
        shared->handles = live_handles();
    }
}

std::vector<Failure> choose(const Scenario& scenario, const Mode& mode, bool all) {
    static std::mt19937 random{std::random_device()()};
    std::vector<Failure> chosen;
    for (int symbol = 0; symbol < most_symbols; ++symbol) {
        const long calls = shared->calls[symbol];
        std::set<long> numbers;
        if (calls > 0) {
            numbers.insert(1);
        }
        if (calls > 0 && (all || mode.times == 1)) {
            numbers.insert(calls);
        }
        // Symbols with more calls are polls of a wait, and the commands of long transfers.
        constexpr int samples = 5;
        const long each = scenario.compiles ? 2 : 20;
        // Each query about a device is another call of one symbol.
        constexpr long queries = 12;
        const long first = all ? each : scenario.opens && mode.times == 1 ? queries : 0;
        for (long call = 1; call <= std::min(calls, first); ++call) {
            numbers.insert(call);
        }
        for (int i = 0; all && calls > each && i < (scenario.compiles ? 1 : samples); ++i) {
            numbers.insert(std::uniform_int_distribution(each + 1, calls)(random));
        }
        for (const long call : numbers) {
            chosen.push_back({symbol, call});
        }
    }
    return chosen;
}

void test(const Scenario& scenario, const Mode& mode, bool all) {
    setenv("FERRY_POOL", mode.pool ? "on" : "off", 1);
    if (const std::string end = in_child([&] { count_calls(scenario); }); !end.empty()) {
        report("scenario '" + scenario.name + "' without an injection", end);
        return;
    }
    const std::vector<Failure> chosen = choose(scenario, mode, all);
    for (std::size_t next = 0; next < chosen.size();) {
        const std::size_t end = scenario.opens ? next + 1 : chosen.size();
        const std::string ended = in_child([&] {
            warm_up(scenario);
            for (shared->now = next; shared->now < end; ++shared->now) {
                fail_one(scenario, mode, chosen[shared->now]);
            }
        });
        if (!ended.empty()) {
            report(describe(scenario, mode, chosen[std::min(shared->now, chosen.size() - 1)]), ended);
        }
        next = ended.empty() ? end : std::max(next, shared->now) + 1;
    }
}

/// A call that can give an absurd answer, and the first scenario that makes it.
struct Answer {
    int symbol;
    unsigned query; ///< 0: the symbol has none
    const Scenario* scenario;
};

/// All answers, including those at the opening of the library. Scenarios that compile are the last choice.
std::vector<Answer> find_answers() {
    std::vector<Answer> found;
    for (const bool compiles : {false, true}) {
        for (const Scenario& scenario : scenarios()) {
            if (scenario.compiles != compiles) {
                continue;
            }
            const auto count = [&] {
                alarm(patience);
                std::string wrong;
                library.arm(-1, 0, 0, 0, 1);
                static_cast<void>(run(scenario, wrong));
                for (int symbol = 0; library.name(symbol) != nullptr; ++symbol) {
                    shared->calls[symbol] = library.calls(symbol);
                    for (int i = 0; i < most_queries; ++i) {
                        shared->queries[symbol][i] = library.query(symbol, i);
                    }
                }
            };
            static_cast<void>(in_child(count)); // later kernels come from the cache
            if (const std::string ended = in_child(count); !ended.empty()) {
                report("scenario '" + scenario.name + "' without an injection", ended);
                continue;
            }
            const auto add = [&](int symbol, unsigned query) {
                const bool known = std::any_of(found.begin(), found.end(), [&](const Answer& one) {
                    return one.symbol == symbol && one.query == query;
                });
                if (!known) {
                    found.push_back({symbol, query, &scenario});
                }
            };
            for (int symbol = 0; library.name(symbol) != nullptr; ++symbol) {
                const unsigned* const queries = shared->queries[symbol];
                if (shared->calls[symbol] != 0 && queries[0] == 0) {
                    add(symbol, 0);
                }
                for (int i = 0; i < most_queries && queries[i] != 0; ++i) {
                    add(symbol, queries[i]);
                }
            }
        }
    }
    return found;
}

/// Calls that succeed with absurd answers must lead only to Errors or wrong data.
void test_answers(bool all) {
    constexpr int kinds = 3;
    setenv("FERRY_POOL", "off", 1);
    setenv("FERRY_PROBE", "off", 1); // the answers must reach this process instead of a child
    int turn = 0;
    for (const Answer& answer : find_answers()) {
        const int symbol = answer.symbol;
        const Scenario* const scenario = answer.scenario;
        ++turn;
        for (int kind = 1; kind <= kinds; ++kind) {
            if (!all && turn % kinds + 1 != kind) {
                continue;
            }
            char number[32];
            std::snprintf(number, sizeof number, " 0x%X", answer.query);
            const std::string where = "scenario '" + scenario->name + "', " + library.name(symbol) + number +
                                      " succeeds with absurd answers of kind " + std::to_string(kind);
            const std::string ended = in_child([&] {
                std::string wrong;
                alarm(patience);
                library.arm(-1, 0, 0, 0, 1);
                library.answer(symbol, answer.query, kind);
                static_cast<void>(run(*scenario, wrong));
                shared->rows[symbol].absurd += library.failed();
                if (wrong.starts_with("not an Error")) {
                    report(where, wrong);
                }
            });
            if (!ended.empty()) {
                report(where, ended);
            }
        }
    }
    const long absurd = std::accumulate(std::begin(shared->rows), std::end(shared->rows), 0L,
                                        [](long sum, const Shared::Row& row) { return sum + row.absurd; });
    if (absurd == 0) {
        report("absurd answers", "no call gave one");
    }
}

/// If a driver refuses all waits and queries, the memory of the commands stays allocated, and the error
/// reports that.
void test_refused_waits(bool pool) {
    setenv("FERRY_POOL", pool ? "on" : "off", 1);
    const std::string where = std::string("every wait is refused, pool ") + (pool ? "on" : "off");
    const std::string ended = in_child([&] {
        alarm(patience);
        std::string wrong;
        library.arm(-1, 0, 0, 0, 1);
        const auto refuse = [](int code) { library.refuse_waits(code); };
        try {
            keep_used_memory(refuse, [] { return library.freed(); });
            use_device();
        } catch (const std::exception& error) {
            report(where, error.what());
        }
    });
    if (!ended.empty()) {
        report(where, ended);
    }
}

/// A command of several vendor calls fails half-way. The error reports the part that was done.
void test_parts() {
    const std::string_view wanted = is_opencl()           ? "clEnqueueCopyBuffer"
                                    : backend() == "cuda" ? "cuMemcpyDtoDAsync_v2"
                                                          : "hipMemcpyDtoDAsync";
    int symbol = 0;
    while (library.name(symbol) != nullptr && library.name(symbol) != wanted) {
        ++symbol;
    }
    for (const bool held_back : {false, true}) {
        const std::string where =
            held_back ? "a fill of several calls, held back" : "a fill of several calls";
        const std::string ended = in_child([&] {
            alarm(patience);
            try {
                fill_in_parts(
                    [&] {
                        library.arm(symbol, 2, 1, Mode{1, false, true, true}.code(), 1);
                    },
                    held_back);
                use_device();
            } catch (const std::exception& error) {
                report(where, error.what());
            }
        });
        if (!ended.empty()) {
            report(where, ended);
        }
    }
}

void print_answers() {
    for (int i = 0; library.name(i) != nullptr; ++i) {
        std::printf("%-44s %8ld\n", library.name(i), shared->rows[i].absurd);
    }
}

void print_table() {
    std::printf("%-44s %8s %8s %8s %8s %8s\n", "symbol", "called", "failed", "error", "absorbed", "absurd");
    for (int i = 0; library.name(i) != nullptr; ++i) {
        const Shared::Row& row = shared->rows[i];
        std::printf("%-44s %8ld %8ld %8ld %8ld %8ld\n", library.name(i), row.called, row.failed, row.errors,
                    row.absorbed, row.absurd);
        const auto reason = std::find_if(std::begin(never_called), std::end(never_called),
                                         [&](const Reason& one) { return one.symbol == library.name(i); });
        if (reason != std::end(never_called)) {
            std::printf("    %s\n", std::string(reason->reason).c_str());
        } else if (row.failed == 0) {
            report(library.name(i), row.called == 0 ? "no scenario calls it" : "no call of it failed");
        }
    }
}

std::vector<Mode> all_modes() {
    std::vector<Mode> modes;
    for (const long times : {1L, 3L, for_ever}) {
        for (const bool absurd : {true, false}) {
            for (const bool pool : {true, false}) {
                modes.push_back({times, absurd, pool, times == 1 || absurd});
            }
        }
    }
    return modes;
}

int test_all(bool all, const char* only, bool answers_only) {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return 2;
    }
    shared = static_cast<Shared*>(memory);
    open_library();
    const std::vector<Mode> modes = all_modes();
    std::size_t number = 0;
    for (const Scenario& scenario : scenarios()) {
        ++number;
        if (answers_only || (only != nullptr && scenario.name != only)) {
            continue;
        }
        // One mode in which a call fails once, and one in which it fails more often.
        const std::size_t once = number % 4;
        const std::size_t often = 4 + number * 3 % 8;
        for (std::size_t i = 0; i < modes.size(); ++i) {
            if (all || i == once || i == often) {
                test(scenario, modes[i], all);
            }
        }
    }
    if (answers_only) {
        test_answers(all);
        print_answers();
        std::printf("%ld faults\n", shared->bad);
        return shared->bad == 0 ? 0 : 1;
    }
    test_parts();
    if (!is_opencl() && only == nullptr) { // for OpenCL it is a test of its own
        test_answers(all);
    }
    for (const bool pool : {true, false}) {
        test_refused_waits(pool);
    }
    if (only == nullptr) {
        print_table();
    }
    const long failures = std::accumulate(std::begin(shared->rows), std::end(shared->rows), 0L,
                                          [](long sum, const Shared::Row& row) { return sum + row.failed; });
    std::printf("%ld failures, %ld faults\n", failures, shared->bad);
    return shared->bad == 0 ? 0 : 1;
}

} // namespace
} // namespace ferry::inject

int main(int argc, char** argv) {
    bool all = false;
    bool answers_only = false;
    const char* only = nullptr;
    for (int i = 1; i < argc; ++i) {
        all = all || std::string_view(argv[i]) == "--all";
        answers_only = answers_only || std::string_view(argv[i]) == "--answers";
        if (std::string_view(argv[i]) == "--scenario" && i + 1 < argc) {
            only = argv[i + 1];
        }
    }
    return ferry::inject::test_all(all, only, answers_only);
}
