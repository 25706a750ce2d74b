// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"

#include <string_view>

namespace ferry::detail {

class DeviceState;

/// Cache key of a device's measurements: the device and its driver. Does not call the driver.
cache::Key device_key(DeviceState& device, std::string_view what);

} // namespace ferry::detail
