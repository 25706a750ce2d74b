// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forward.hpp"

#include <string_view>
#include <vector>

namespace vulkan_double {

/// Another machine, which the driver then seems to be. FERRY_DOUBLE_VULKAN_MACHINE names it.
struct Machine {
    std::string_view name;
    std::int32_t kind = constant::device_cpu;
    std::vector<MemoryHeap> heaps{}; ///< Empty: those of the driver.
    std::vector<MemoryType> types{};
    std::uint32_t queues = 0;  ///< Of each family. 0: as many as the driver has.
    bool small_limits = false; ///< Those that Vulkan promises, and the two below.
};

/// Of a machine with small limits.
inline constexpr std::uint64_t small_allocation = std::uint64_t{256} << 20U;
inline constexpr std::uint32_t small_groups = 65535;

/// The machine of the environment. Its name is empty if there is none.
const Machine& machine();

} // namespace vulkan_double
