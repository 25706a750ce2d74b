// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding.hpp"
#include "report.hpp"

#include <ferry/backend.hpp>
#include <ferry/device.hpp>

#include <string>
#include <string_view>

namespace cli::doctor {

/// Opens one backend, in this process, and tries every device it has. `expected`: hardware of its vendor is
/// there, or the user named the backend, so that it is wrong if it is not available.
void examine_backend(ferry::Backend backend, bool expected, Reporter& reporter);
void examine_device(const ferry::Device& device, Reporter& reporter);
/// Which device programs get. Opens the backends that this takes.
Findings examine_choice();

// What is tried on a device. They throw Error.

/// A kernel whose result is known, with every kind of arithmetic that integers have.
Findings try_kernel(const ferry::Device& device);
/// Copies of every kind up, across and down: of odd sizes, of many pieces through the page-locked slots, of
/// page-locked memory, of a box, in a batch.
Findings try_transfers(const ferry::Device& device);
/// Memory of each kind that the device says it has: made, written, given back.
Findings try_memory(const ferry::Device& device);
/// The page-locked slots for large copies of ordinary memory.
Findings try_staging(const ferry::Device& device);
/// Which declared facts about memory are not so.
Findings try_facts(const ferry::Device& device);
/// What to do where there is no run-time compiler.
std::string mend_compiler(const ferry::Device& device);
/// The run-time compiler, and whether it fits the driver.
Findings look_at_compiler(const ferry::Device& device);

/// A finding of a device that is in order, and one whose results are not right.
Finding good(const ferry::Device& device, const char* check, std::string what);
Finding wrong(const ferry::Device& device, const char* check, std::string what);

/// What to do about one of the reasons that a backend's report gives: where it did not open, or left
/// something out. Never empty.
std::string mend_of_backend(ferry::Backend backend, std::string_view reason);

struct Version {
    int major = 0, minor = 0;
};
/// The version that stands behind `word`: 13.0 for "NVRTC 13.0 (libnvrtc.so.13)" and "NVRTC ". 0.0: none.
Version version_behind(const std::string& text, const std::string& word);
/// The number behind ".so." of a library's file: 6 for "hipRTC 9.0 (libhiprtc.so.6)". 0: none.
int file_major(const std::string& note);

} // namespace cli::doctor
