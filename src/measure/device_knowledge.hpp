// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_state.hpp"
#include "knowledge/placement_costs.hpp"

#include <ferry/capabilities.hpp>

#include <array>
#include <memory>

namespace ferry::detail {

/// Results of measurements of a device. They stay in the process, and on disk in the cache of compiled
/// kernels under the device, its driver, Ferry's version and the driver's declared facts. Honours
/// FERRY_CALIBRATION. Blocks during a measurement, of facts and costs together, for at most
/// FERRY_CALIBRATION_LIMIT for the device, unless a fresh measurement is requested. All measurements run in
/// child processes (measure/child_run.hpp); without a tool nothing is measured. Never throws for a failed
/// measurement: its facts stay as declared, and the costs are not known(). Throws Error (invalid_argument)
/// for a wrong value of these variables.
MemoryCapabilities capabilities_of(DeviceState& device, MemoryKind kind, Probe probe, SourceLocation where);

/// The knowledge without measuring: of this process, or from disk, which is read once. Otherwise the driver's
/// declared facts, and costs that are not known(). With FERRY_CALIBRATION=fresh the first call measures. Does
/// not wait for measurements of other threads.
MemoryCapabilities known_capabilities(DeviceState& device, MemoryKind kind, SourceLocation where);
std::shared_ptr<const CostModel> known_cost_model(DeviceState& device, SourceLocation where);

/// The part of the time for a device that is reserved for costs, after a compiler is done.
inline constexpr double part_for_costs = 0.5;

/// While it lives, this thread's calls start no measurement, because measurements use shares themselves.
class Measuring {
public:
    Measuring() noexcept;
    Measuring(const Measuring&) = delete;
    Measuring& operator=(const Measuring&) = delete;
    ~Measuring();
};

/// For tests: the state of a new process, which knows only the results on disk. Must not be called while
/// another thread measures.
void forget(DeviceState& device);

/// Replaces the facts of the device in this process, in the order of MemoryKind.
void adopt(DeviceState& device, const std::array<MemoryCapabilities, 4>& facts);

} // namespace ferry::detail
