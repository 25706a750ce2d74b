// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "staging/slot_rates.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace ferry::detail {

class DeviceState;

/// What copies through slots of several sizes reach on this device, as it was measured: by this process, or
/// by another one and kept in the cache of compiled kernels, where it looks once. Empty if nothing is known,
/// or FERRY_CALIBRATION forbids to look. Asks nothing of the driver; never throws for what the cache has.
std::vector<staging::SlotRate> known_slot_rates(DeviceState& device);

/// Calls `measure`, if nothing is known or `afresh`, once in a process; it should take `time`. The slots of
/// the device are made again if the best size is another one then. No value: nothing settled on a busy
/// machine, and a few other processes try again. Empty: copies end or hang the process that measures them,
/// and no process tries again.
using MeasureSlotRates =
    std::function<std::optional<std::vector<staging::SlotRate>>(std::chrono::milliseconds time)>;
void learn_slot_rates(DeviceState& device, bool afresh, const MeasureSlotRates& measure);

/// For tests: as a new process begins; not while another thread measures.
void forget_slot_rates();

} // namespace ferry::detail
