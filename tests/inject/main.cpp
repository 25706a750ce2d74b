// SPDX-License-Identifier: Apache-2.0
// ferry_inject [--all] [--scenario NAME]: fails the vendor calls of each scenario and checks the outcome.
//
// A forwarding library (forward.cpp) stands between Ferry and an implementation. Without --all the first and
// the last call of each symbol in each scenario fail once with an absurd code, and the first one for ever
// with a plausible one. With --all every call fails once, three times and for ever, with both codes, with the
// pool and without.
//
// Each outcome must be correct data or an Error that names the failed call. A crash, a hang, a wrong byte, a
// lost handle or a device that does not work afterwards fails the test. So does a symbol that no scenario
// calls, unless `never_called` gives the reason.
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
#include <map>
#include <string_view>
#include <utility>

namespace ferry::inject {
namespace {

constexpr int most_symbols = 128;
constexpr long most_calls = 4096;
constexpr long for_ever = 1'000'000'000;
constexpr unsigned patience = 60; ///< seconds for one failure

/// What all processes of the test know.
struct Shared {
    struct Row {
        long called, failed, errors, absorbed;
    };
    Row rows[most_symbols];
    int trace[most_calls];
    long calls;
    long now; ///< the call that fails at present
    long bad; ///< outcomes that are faults
};
Shared* shared = nullptr;

struct Library {
    decltype(&ferry_inject_arm) arm;
    decltype(&ferry_inject_symbol_of) symbol_of;
    decltype(&ferry_inject_name) name;
    decltype(&ferry_inject_failed) failed;
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
    find(opened, "ferry_inject_symbol_of", library.symbol_of);
    find(opened, "ferry_inject_name", library.name);
    find(opened, "ferry_inject_failed", library.failed);
    find(opened, "ferry_inject_handles", library.handles);
}

struct Reason {
    std::string_view symbol, reason;
};
#include "never_called.inc"

struct Mode {
    long times;
    bool absurd;
    bool pool;
};

int code_of(const Mode& mode) {
    const bool opencl = std::string_view(std::getenv("FERRY_BACKEND")) == "opencl";
    return mode.absurd ? -77'777 : opencl ? -5 : 2; // CL_OUT_OF_RESOURCES, hipErrorOutOfMemory
}

void report(const Scenario& scenario, const Mode& mode, const char* symbol, const std::string& what) {
    ++shared->bad;
    std::printf("FAULT: scenario '%s', call %ld, %s fails %ld times with %d, pool %s: %s\n",
                scenario.name.c_str(), shared->now, symbol, mode.times, code_of(mode),
                mode.pool ? "on" : "off", what.c_str());
}

/// The error of a scenario; empty if it went well.
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

void fail_one(const Scenario& scenario, const Mode& mode, long call) {
    shared->now = call;
    alarm(patience);
    const long handles = library.handles();
    std::string wrong;
    library.arm(call, mode.times, code_of(mode));
    const std::string error = run(scenario, wrong);
    const int symbol = library.failed();
    for (long i = 1, called = library.symbol_of(i); called >= 0; called = library.symbol_of(++i)) {
        ++shared->rows[called].called;
    }
    library.arm(0, 0, 0);
    if (symbol < 0) {
        return; // another order of calls this time
    }
    const std::string name = library.name(symbol);
    Shared::Row& row = shared->rows[symbol];
    ++row.failed;
    ++(error.empty() ? row.absorbed : row.errors);
    if (!wrong.empty()) {
        report(scenario, mode, name.c_str(), "wrong: " + wrong);
    }
    if (!error.empty() && error.find(name) == std::string::npos) {
        report(scenario, mode, name.c_str(), "the error does not name the call: " + error);
    }
    if (scenario.opens) {
        return;
    }
    try {
        use_device();
    } catch (const std::exception& after) {
        report(scenario, mode, name.c_str(),
               std::string("the device does not work afterwards: ") + after.what());
    }
    for (int i = 0; i < 200 && library.handles() != handles; ++i) {
        usleep(1000); // a command may end a little later
    }
    if (library.handles() != handles) {
        report(scenario, mode, name.c_str(),
               std::to_string(library.handles() - handles) + " more handles live than before");
    }
}

/// In a process of its own: all that `body` does. False if it ended badly.
template <class F>
bool in_child(const F& body) {
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
        std::printf("FAULT: the process ended with signal %d (%s) at call %ld\n", WTERMSIG(status),
                    WTERMSIG(status) == SIGALRM ? "no end" : strsignal(WTERMSIG(status)), shared->now);
    } else if (WEXITSTATUS(status) != 0) {
        std::printf("FAULT: the process ended with status %d at call %ld\n", WEXITSTATUS(status),
                    shared->now);
    }
    return status == 0;
}

void trace(const Scenario& scenario) {
    open_library();
    alarm(10 * patience);
    std::string wrong;
    for (int i = 0; i < (scenario.opens ? 0 : 3); ++i) {
        static_cast<void>(run(scenario, wrong));
        use_device();
    }
    library.arm(0, 0, 0);
    const std::string error = run(scenario, wrong);
    if (!error.empty() || !wrong.empty()) {
        ++shared->bad;
        std::printf("FAULT: scenario '%s' fails without an injection: %s%s\n", scenario.name.c_str(),
                    error.c_str(), wrong.c_str());
    }
    shared->calls = 0;
    for (int symbol = 0; shared->calls < most_calls; ++shared->calls) {
        symbol = library.symbol_of(shared->calls + 1);
        if (symbol < 0) {
            break;
        }
        shared->trace[shared->calls] = symbol;
        ++shared->rows[symbol].called;
    }
}

void test(const Scenario& scenario, const Mode& mode, bool all) {
    setenv("FERRY_POOL", mode.pool ? "on" : "off", 1);
    if (!in_child([&] { trace(scenario); })) {
        ++shared->bad;
        return;
    }
    std::vector<long> chosen;
    std::map<int, std::pair<long, long>> ends; // of each symbol, its first call and its last
    for (long i = 0; i < shared->calls; ++i) {
        ends.try_emplace(shared->trace[i], i, i).first->second.second = i;
    }
    for (long i = 0; i < shared->calls; ++i) {
        const auto& [first, last] = ends.at(shared->trace[i]);
        if (all || i == first || (i == last && mode.times == 1)) {
            chosen.push_back(i + 1);
        }
    }
    for (std::size_t next = 0; next < chosen.size();) {
        const bool well = in_child([&] {
            open_library();
            std::string wrong;
            for (int i = 0; i < (scenario.opens ? 0 : 3); ++i) {
                static_cast<void>(run(scenario, wrong));
            }
            const std::size_t end = scenario.opens ? next + 1 : chosen.size();
            for (std::size_t i = next; i < end; ++i) {
                fail_one(scenario, mode, chosen[i]);
            }
        });
        if (!well) {
            ++shared->bad;
            const long at_call = std::clamp(shared->now, 1L, std::max(shared->calls, 1L));
            std::printf("  in scenario '%s', symbol %d, %ld times, code %d, pool %s\n", scenario.name.c_str(),
                        shared->trace[at_call - 1], mode.times, code_of(mode), mode.pool ? "on" : "off");
            const auto at = std::upper_bound(chosen.begin(), chosen.end(), shared->now);
            next = std::max(next + 1, static_cast<std::size_t>(at - chosen.begin()));
        } else {
            next = scenario.opens ? next + 1 : chosen.size();
        }
    }
}

void print_table() {
    open_library();
    std::printf("%-44s %8s %8s %8s %8s\n", "symbol", "called", "failed", "error", "absorbed");
    for (int i = 0; library.name(i) != nullptr; ++i) {
        const Shared::Row& row = shared->rows[i];
        std::printf("%-44s %8ld %8ld %8ld %8ld\n", library.name(i), row.called, row.failed, row.errors,
                    row.absorbed);
        const auto reason = std::find_if(std::begin(never_called), std::end(never_called),
                                         [&](const Reason& one) { return one.symbol == library.name(i); });
        if (reason != std::end(never_called)) {
            std::printf("    %s\n", std::string(reason->reason).c_str());
        } else if (row.called == 0) {
            ++shared->bad;
            std::printf("FAULT: no scenario calls %s\n", library.name(i));
        }
    }
}

int test_all(bool all, const char* only) {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return 2;
    }
    shared = static_cast<Shared*>(memory);
    std::vector<Mode> modes{{1, true, true}, {for_ever, false, false}};
    if (all) {
        modes.clear();
        for (const long times : {1L, 3L, for_ever}) {
            for (const bool absurd : {false, true}) {
                for (const bool pool : {true, false}) {
                    modes.push_back({times, absurd, pool});
                }
            }
        }
    }
    for (const Scenario& scenario : scenarios()) {
        if (only == nullptr || scenario.name == only) {
            for (const Mode& mode : modes) {
                test(scenario, mode, all);
            }
        }
    }
    if (only == nullptr) {
        print_table();
    }
    std::printf("%ld faults\n", shared->bad);
    return shared->bad == 0 ? 0 : 1;
}

} // namespace
} // namespace ferry::inject

int main(int argc, char** argv) {
    bool all = false;
    const char* only = nullptr;
    for (int i = 1; i < argc; ++i) {
        all = all || std::string_view(argv[i]) == "--all";
        if (std::string_view(argv[i]) == "--scenario" && i + 1 < argc) {
            only = argv[i + 1];
        }
    }
    return ferry::inject::test_all(all, only);
}
