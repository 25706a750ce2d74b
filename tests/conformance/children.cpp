// SPDX-License-Identifier: Apache-2.0
#include "children.hpp"

#include "../support/child.hpp"

#include <doctest/doctest.h>

#include <string>

namespace conformance {

ChildRegistration::ChildRegistration(std::string_view name, ChildBody body) {
    const support::ChildBody registered(std::string(name), [body](const std::string& device) {
        ferry::configure({.backend = device.substr(0, device.find(':')) + ",host"});
        return body(ferry::find_device(device));
    });
}

void check_child(std::string_view name, const ferry::Device& device, int status) {
    support::Child child;
    child.arguments = {"--child=" + std::string(name) + "|" + device.id()};
    const support::ChildResult result = support::run(child);
    CHECK_MESSAGE(result.exited(status), "child \"", std::string(name), "\" on ", device.id(), ": ",
                  result.describe());
}

std::string child_output(std::string_view name, const ferry::Device& device) {
    support::Child child;
    child.arguments = {"--child=" + std::string(name) + "|" + device.id()};
    return support::run(child).output;
}

} // namespace conformance
