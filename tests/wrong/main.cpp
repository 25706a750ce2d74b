// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "../support/child.hpp"
#include "wrong.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace {

const wrong::Program& find(const std::string& name) {
    const auto& all = wrong::programs();
    return *std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
}

const support::ChildBody body("wrong", [](const std::string& name) {
    const ferry::Device device = ferry::default_device();
    try {
        find(name).run(device);
    } catch (const std::exception& error) {
        std::printf("caught: %s\n", error.what());
        return 0;
    }
    std::puts("nothing was noticed");
    return 1;
});

/// Runs the program of that name; without a name, all programs.
const support::ChildBody right_body("right", [](const std::string& name) {
    for (const wrong::Right& program : wrong::right_programs()) {
        if (!name.empty() && name != program.name) {
            continue;
        }
        std::puts(program.name); // printed first, so that it is known even if the process ends
        try {
            program.run(ferry::default_device());
        } catch (const std::exception& error) {
            std::puts(error.what());
            return 1;
        }
    }
    return 0;
});

bool strict_host() {
    const char* const mode = std::getenv("FERRY_HOST_MODE");
    return mode != nullptr && std::string(mode) == "strict";
}

void check(const wrong::Program& program, const std::vector<std::string>& parts, const char* check,
           int signal) {
    support::Child child;
    child.arguments = {"--child=wrong|" + std::string(program.name)};
    child.environment = {{"FERRY_CHECK", check}};
    const support::ChildResult result = support::run(child);
    INFO(std::string(program.name), " with FERRY_CHECK=", std::string(check), ": ", result.describe());
    CHECK(result.signal == signal);
    CHECK((signal != 0 || result.exited(0)));
    for (const std::string& part : parts) {
        CHECK_MESSAGE(result.says(part), "it does not say: ", part);
    }
}

} // namespace

TEST_CASE("wrong programs are caught, with the buffer and both operations named") {
    for (const wrong::Program& program : wrong::programs()) {
        if (!program.always.empty()) {
            check(program, program.always, "none", 0);
        }
        if (!program.races.empty()) {
            check(program, program.races, "races", 0);
        }
        if (!program.strict.empty() && strict_host()) {
            check(program, program.strict, "none", program.ends ? SIGSEGV : 0);
        }
    }
}

TEST_CASE("programs that are right are not caught, and their answers are right") {
    for (const char* const setting : {"races", "none"}) {
        if (setting == std::string("none") && !strict_host()) {
            continue;
        }
        support::Child child;
        child.arguments = {"--child=right|"};
        child.environment = {{"FERRY_CHECK", setting}};
        const support::ChildResult result = support::run(child);
        INFO("FERRY_CHECK=", std::string(setting), ": ", result.describe());
        CHECK(result.exited(0));
    }
}

TEST_CASE("the table of docs/design/races.md is this list") {
    std::ifstream file(FERRY_RACES_PAGE);
    std::ostringstream page;
    page << file.rdbuf();
    for (const wrong::Program& p : wrong::programs()) {
        const auto mark = [](const auto& parts) { return parts.empty() ? " " : " x "; };
        const std::string row = std::string("| `") + p.name + "` | " + p.mistake + " |" + mark(p.always) +
                                "|" + mark(p.strict) + "|" + mark(p.races) + "|";
        CHECK_MESSAGE(page.str().find(row) != std::string::npos, "races.md lacks: ", row);
    }
}

int main(int argc, char** argv) {
    if (const auto status = support::run_child_body(argc, argv)) {
        return *status;
    }
    return doctest::Context(argc, argv).run();
}
