// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"

#include <string_view>

namespace ferry::detail {

class DeviceState;

/// Where it is kept what was measured of a device: under the device and its driver, whom it does not ask.
cache::Key device_key(DeviceState& device, std::string_view what);

} // namespace ferry::detail
