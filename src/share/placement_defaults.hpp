// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "share/placement.hpp"

namespace ferry::detail {
class DeviceState;
}

namespace ferry::detail::placement {

/// Figures of a machine with a device of this kind, for use without measurements. `maps`: memory used in
/// place is unmapped for each launch and mapped again after it.
Costs default_costs(const DeviceInfo& info, Reach reach, bool maps);

} // namespace ferry::detail::placement
