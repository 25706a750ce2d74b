// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "placement/placement.hpp"

namespace ferry::detail {
class DeviceState;
}

namespace ferry::detail::placement {

/// Figures of a machine of this device's kind: for where nothing was measured. `maps`: what is used in place
/// is unmapped for each launch and mapped again behind it.
Costs default_costs(const DeviceInfo& info, Reach reach, bool maps);

} // namespace ferry::detail::placement
