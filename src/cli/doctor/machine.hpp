// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cli::doctor {

/// Information from the operating system, without any driver. Tests use another root.
struct Machine {
    std::string root = "/";
    /// RLIMIT_MEMLOCK in bytes. Empty if there is no limit.
    std::optional<std::uint64_t> locked_memory;
    /// Whether the user has read and write access to a file.
    std::function<bool(const std::string&)> may_open;

    static Machine present();
};

/// Vendors with a display controller, a 3D controller or an accelerator on the PCI bus.
struct Hardware {
    bool nvidia = false;
    bool amd = false;
    bool intel = false;
};
Hardware hardware_of(const Machine& machine);

/// Reports device files that are missing or not accessible, although a device on the bus needs them.
Findings check_device_files(const Machine& machine);
/// Checks the amount of memory that a process may lock.
Findings check_locked_memory(const Machine& machine);
/// Checks whether the IOMMU translates the addresses used by devices.
Findings check_iommu(const Machine& machine);
/// Checks whether compiled kernels and measurements can be stored.
Findings check_cache();
/// Reports variables with names that begin with FERRY_ but have no effect.
Findings check_variables();

} // namespace cli::doctor
