// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cli::doctor {

/// What the operating system says, without any driver. A test gives another root.
struct Machine {
    std::string root = "/";
    /// RLIMIT_MEMLOCK, bytes; empty if there is no limit.
    std::optional<std::uint64_t> locked_memory;
    /// Whether the user may read and write a file.
    std::function<bool(const std::string&)> may_open;

    static Machine present();
};

/// Which vendors have a display controller, a 3D controller or an accelerator on the PCI bus.
struct Hardware {
    bool nvidia = false;
    bool amd = false;
    bool intel = false;
};
Hardware hardware_of(const Machine& machine);

/// Device files that are missing or may not be opened: for a device on the bus, what its driver needs.
Findings check_device_files(const Machine& machine);
/// How much memory a process may lock.
Findings check_locked_memory(const Machine& machine);
/// Whether the IOMMU translates what devices address.
Findings check_iommu(const Machine& machine);
/// Whether compiled kernels and measurements can be kept.
Findings check_cache();
/// Variables whose names begin with FERRY_ and that nobody reads.
Findings check_variables();

} // namespace cli::doctor
