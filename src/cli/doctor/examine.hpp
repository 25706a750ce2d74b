// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding.hpp"
#include "report.hpp"

#include <ferry/backend.hpp>
#include <ferry/device.hpp>

#include <string>

namespace cli::doctor {

/// Opens one backend in this process and tests each of its devices. `expected`: the machine has hardware of
/// this vendor, or the user selected the backend, so it must be available.
void examine_backend(ferry::Backend backend, bool expected, Reporter& reporter);
void examine_device(const ferry::Device& device, Reporter& reporter);
/// Determines the device that programs get by default. Opens the backends required for this.
Findings examine_choice();

// Tests of one device. They throw Error.

/// Runs a kernel with a known result. It uses all kinds of integer arithmetic.
Findings try_kernel(const ferry::Device& device);
/// Copies in all directions: of odd sizes, of many pieces through the page-locked slots, of page-locked
/// memory, of a box, and in a batch.
Findings try_transfers(const ferry::Device& device);
/// Allocates, writes and releases memory of each kind that the device reports.
Findings try_memory(const ferry::Device& device);
/// Creates the page-locked slots for large copies of pageable memory.
Findings try_staging(const ferry::Device& device);
/// Reports the declared facts about memory that are wrong.
Findings try_facts(const ferry::Device& device);
/// Advice for a device without a run-time compiler.
std::string mend_compiler(const ferry::Device& device);
/// Checks the run-time compiler, and whether it fits the driver.
Findings look_at_compiler(const ferry::Device& device);

/// A finding for a device that works, and one for wrong results.
Finding good(const ferry::Device& device, const char* check, std::string what);
Finding wrong(const ferry::Device& device, const char* check, std::string what);

/// Advice for a problem in a backend's report: it could not be opened, or it excluded something. Never empty.
std::string mend_of_backend(ferry::Backend backend, ferry::BackendProblem problem);

struct Version {
    int major = 0, minor = 0;
};
/// Of DeviceInfo::api_version of CUDA or HIP, or DeviceInfo::compiler_version: "13.0" or "7". 0.0 if it is
/// empty.
Version version_of(const std::string& text);

} // namespace cli::doctor
