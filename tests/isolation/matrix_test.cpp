// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace isolation;

namespace {

struct Entry {
    const char* backend;
    const char* name;
    const char* phase;
};

constexpr Entry entries[] = {
    {"cuda", "constructor", "its constructor"},
    {"cuda", "cuInit", "its initialisation (cuInit)"},
    {"cuda", "cuDeviceGetCount", "its device listing"},
    {"cuda", "cuDriverGetVersion", "its device listing"},
    {"cuda", "cuDeviceGetAttribute", "its device listing"},
    {"cuda", "destructor", "its exit handlers"},
    {"hip", "constructor", "its constructor"},
    {"hip", "hipInit", "its initialisation (hipInit)"},
    {"hip", "hipGetDeviceCount", "its device listing"},
    {"hip", "hipRuntimeGetVersion", "its device listing"},
    {"hip", "hipDeviceGetAttribute", "its device listing"},
    {"hip", "destructor", "its exit handlers"},
    {"opencl", "constructor", "its constructor"},
    {"opencl", "clGetPlatformIDs", "its initialisation (clGetPlatformIDs)"},
    {"opencl", "clGetPlatformInfo", "its device listing"},
    {"opencl", "clGetDeviceIDs", "its device listing"},
    {"opencl", "clGetDeviceInfo", "its device listing"},
    {"opencl", "destructor", "its exit handlers"},
};

struct Fault {
    const char* name;
    std::vector<std::string> ends; ///< the reason contains one of these
    bool hangs = false;
    bool at_exit = false;
};

const std::vector<Fault>& faults() {
    static const std::vector<Fault> all{
        {"crash", {"ended by signal 11"}},
        {"abort", {"ended by signal 6"}},
        {"exit", {"ended with status 3"}},
        {"exit0", {"ended with status 0"}},
        {"_exit", {"ended with status 4"}},
        {"_exit0", {"ended with status 0"}},
        {"quick_exit", {"ended with status 5"}},
        {"hang", {"gave no answer within "}, true},
        {"spin", {"gave no answer within "}, true},
        {"terminate", {"ended by signal 6"}},
        {"stack", {"ended by signal 11"}},
        {"trap", {"ended by signal 8"}},
        {"throw", {"thrown by a vendor library", "ended by signal 6", "got an exception from it"}},
        {"throw-int", {"got an exception from it", "ended by signal 6"}},
        {"atexit-crash", {"ended by signal 11"}, false, true},
        {"atexit-hang", {"gave no answer within "}, true, true},
        {"atexit-_exit0", {"ended with status 0"}, false, true},
    };
    return all;
}

struct Case {
    Entry entry;
    const Fault* fault;
    bool with_tool = true;
    support::ChildResult result = {};
    bool good = false;

    std::string text() const { return std::string(entry.backend) + ' ' + entry.name + ':' + fault->name; }
    bool says_why() const {
        bool ends = false;
        for (const std::string& end : fault->ends) {
            ends = ends || result.says(end);
        }
        ends = ends || (!with_tool && std::string(fault->name) == "quick_exit" &&
                        result.says("ended by quick_exit()"));
        const std::string phase = fault->at_exit ? "its exit handlers" : entry.phase;
        return ends && (result.says(" in " + phase) || result.says("thrown by a vendor library")) &&
               result.says(std::string(entry.backend) + " is not available");
    }
};

// A busy machine may be late in an earlier step. Then the limit was too short.
void run(const Folder& folder, Case& one) {
    for (int limit = one.fault->hangs ? 300 : 60'000; limit <= 60'000; limit *= 3) {
        Variables changes{{"FERRY_PROBE_LIMIT", std::to_string(limit)}};
        if (!one.with_tool) {
            changes.emplace_back("FERRY_TOOL", "off");
        }
        one.result =
            use(folder, one.entry.backend, std::string(one.entry.name) + ':' + one.fault->name, changes);
        one.good = survived(one.result) && one.says_why();
        if (one.good || !survived(one.result)) {
            return;
        }
    }
}

void run_all(std::vector<Case>& cases) {
    const Folder folder;
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) { // hanging processes only wait
        threads.emplace_back([&] {
            for (std::size_t at = next++; at < cases.size(); at = next++) {
                run(folder, cases[at]);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::size_t good = 0;
    for (const Case& one : cases) {
        CHECK_MESSAGE(one.good, one.text(), ": ", one.result.describe());
        good += one.good ? 1 : 0;
    }
    MESSAGE(good, " of ", cases.size(), " processes survived their vendor library and say how it failed");
}

} // namespace

TEST_CASE(
    "isolation: a process survives each fault in initialisation, and a crash and exit(0) in each entry") {
    std::vector<Case> cases;
    for (const Entry& entry : entries) {
        const bool initialises = std::string(entry.phase).find("initialisation") != std::string::npos;
        for (const Fault& fault : faults()) {
            const std::string name = fault.name;
            if (initialises || name == "crash" || name == "exit0") {
                cases.push_back({entry, &fault});
            }
        }
    }
    run_all(cases);
}

TEST_CASE("isolation: without a tool a copy of the process meets the fault") {
    std::vector<Case> cases;
    for (const Entry& entry : entries) {
        const std::string where = std::string(entry.backend) + ' ' + entry.name;
        for (const Fault& fault : faults()) {
            const std::string name = fault.name;
            if (where == "hip hipInit" || (where == "cuda destructor" && !fault.at_exit && name != "throw") ||
                name == "exit0") {
                cases.push_back({entry, &fault, false});
            }
        }
    }
    run_all(cases);
}

TEST_CASE("isolation in full: a process survives each fault in each entry" * doctest::skip()) {
    std::vector<Case> cases;
    for (const Entry& entry : entries) {
        for (const Fault& fault : faults()) {
            cases.push_back({entry, &fault});
        }
    }
    REQUIRE(cases.size() >= 264);
    run_all(cases);
}
