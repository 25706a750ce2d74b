// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace conformance {

/// A body that a child process runs on a device: what may end the process. Returns the exit status.
using ChildBody = int (*)(const ferry::Device& device);

struct ChildRegistration {
    ChildRegistration(std::string_view name, ChildBody body);
};

/// Runs a registered body on `device` in a process of its own; fails the test unless it exits with `status`
/// in time.
void check_child(std::string_view name, const ferry::Device& device, int status);

/// The same, unless it ends by abort() and its output has all of these words.
void check_child_aborts(std::string_view name, const ferry::Device& device,
                        std::initializer_list<std::string> words);

/// What a registered body prints in a process of its own.
std::string child_output(std::string_view name, const ferry::Device& device);

} // namespace conformance
