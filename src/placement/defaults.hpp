// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "placement/placement.hpp"

namespace ferry::detail {
class DeviceState;
}

namespace ferry::detail::placement {

/// Figures of a machine of this device's kind, from docs/design/placement.md: for where nothing was measured.
Costs default_costs(const DeviceInfo& info, Reach reach);

} // namespace ferry::detail::placement
