// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace conformance {

/// Code that a child process runs on a device because it may end the process. Returns the exit status.
using ChildBody = int (*)(const ferry::Device& device);

struct ChildRegistration {
    ChildRegistration(std::string_view name, ChildBody body);
};

/// Runs a registered body on `device` in a child process. The test fails unless it exits with `status` in
/// time.
void check_child(std::string_view name, const ferry::Device& device, int status);

/// The same, but the child must end by abort() and its output must contain all of these words.
void check_child_aborts(std::string_view name, const ferry::Device& device,
                        std::initializer_list<std::string> words);

/// The output of a registered body in a child process.
std::string child_output(std::string_view name, const ferry::Device& device);

} // namespace conformance
