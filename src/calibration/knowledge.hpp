// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration.hpp"
#include "device_state.hpp"

#include <ferry/capabilities.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ferry::detail {

/// What was measured of a device is measured once: it stays in the process, and on disk in the cache of
/// compiled kernels under the device, its driver, Ferry's version and what the driver declared.
/// FERRY_CALIBRATION has its say. Both block while they measure, at most about 2 s for the device in all,
/// beside the compiler's time for the kernels, and never throw for a measurement that fails: its facts stay
/// as declared, and its costs are not known().
MemoryCapabilities capabilities_of(DeviceState& device, MemoryKind kind, Probe probe, SourceLocation where);
Calibration calibration_of(DeviceState& device, Probe probe, SourceLocation where);

/// Facts as text, a line for each, and back into a record of that kind that has no values yet. False, and
/// nothing changed, for a text of another form.
std::string to_text(const MemoryCapabilities& facts);
bool read_facts(std::string_view text, MemoryCapabilities& facts);

} // namespace ferry::detail
