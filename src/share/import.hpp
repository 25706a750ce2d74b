// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/import.hpp>

#include <cstddef>
#include <string>

namespace ferry::detail {

class DeviceState;

/// Imports memory with checked pages, or finds a live import around it. Null memory: the device cannot import
/// it, and `why` is a clause. Throws the vendor's error. Call within a VendorCall.
ImportedRange import_checked(DeviceState& device, const void* data, std::size_t bytes, bool read_only,
                             std::string& why, SourceLocation where);

} // namespace ferry::detail
