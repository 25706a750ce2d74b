// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "staging/slot_rates.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace ferry::detail {

class DeviceState;

/// The measured rates of copies through slots of several sizes on this device, by this process, or by another
/// one from the cache of compiled kernels, which is read once. Empty if nothing is known, or
/// FERRY_CALIBRATION forbids its use. Does not call the driver. Never throws for the contents of the cache.
std::vector<staging::SlotRate> known_slot_rates(DeviceState& device);

/// Calls `measure` once in a process, if nothing is known or `afresh`; it should take `time`. If the best
/// size has changed, the slots of the device are created again. No value: inconclusive on a busy machine, and
/// a few other processes try again. Empty: copies end or hang the measuring process, and no process tries
/// again.
using MeasureSlotRates =
    std::function<std::optional<std::vector<staging::SlotRate>>(std::chrono::milliseconds time)>;
void learn_slot_rates(DeviceState& device, bool afresh, const MeasureSlotRates& measure);

/// For tests: the state of a new process. Must not be called while another thread measures.
void forget_slot_rates();

} // namespace ferry::detail
