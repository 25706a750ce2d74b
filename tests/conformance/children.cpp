// SPDX-License-Identifier: Apache-2.0
#include "children.hpp"

#include "../support/child.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

namespace conformance {

ChildRegistration::ChildRegistration(std::string_view name, ChildBody body) {
    const support::ChildBody registered(std::string(name), [body](const std::string& device) {
        ferry::configure({.backend = device.substr(0, device.find(':')) + ",host"});
        return body(ferry::find_device(device));
    });
}

namespace {

/// Children end in the middle of their work. Memory and threads that exist then are not leaks, and
/// ThreadSanitizer's sleep before the end (one second) would look like an exit handler that joins a thread.
support::Child child_of(std::string_view name, const ferry::Device& device) {
    support::Child child;
    child.arguments = {"--child=" + std::string(name) + "|" + device.id()};
    for (const auto& [variable, more] : {std::pair{"TSAN_OPTIONS", "report_thread_leaks=0:atexit_sleep_ms=0"},
                                         std::pair{"ASAN_OPTIONS", "detect_leaks=0"}}) {
        const char* const given = std::getenv(variable);
        child.environment.emplace_back(variable, (given == nullptr ? "" : given + std::string(":")) + more);
    }
    return child;
}

} // namespace

void check_child(std::string_view name, const ferry::Device& device, int status) {
    const support::ChildResult result = support::run(child_of(name, device));
    CHECK_MESSAGE(result.exited(status), "child \"", std::string(name), "\" on ", device.id(), ": ",
                  result.describe());
}

void check_child_aborts(std::string_view name, const ferry::Device& device,
                        std::initializer_list<std::string> words) {
    const support::ChildResult result = support::run(child_of(name, device));
    const bool says = std::ranges::all_of(words, [&](const std::string& word) { return result.says(word); });
    CHECK_MESSAGE((result.signal == SIGABRT && says), "child \"", std::string(name), "\" on ", device.id(),
                  ": ", result.describe());
}

std::string child_output(std::string_view name, const ferry::Device& device) {
    return support::run(child_of(name, device)).output;
}

} // namespace conformance
