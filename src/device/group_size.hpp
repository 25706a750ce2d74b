// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>
#include <ferry/grid.hpp>
#include <ferry/kernel.hpp>

namespace ferry::detail {

/// See DeviceInfo::preferred_group_size.
std::size_t preferred_group_size(const DeviceInfo& device) noexcept;

/// The grid that covers these work-items with the group size that the kernel requires, or with one that suits
/// it and the device. See Kernel::covering().
Grid covering_grid(Dim3 items, const KernelInfo& kernel, const DeviceInfo& device) noexcept;

} // namespace ferry::detail
