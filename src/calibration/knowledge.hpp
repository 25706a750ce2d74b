// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration.hpp"
#include "device_state.hpp"

#include <ferry/capabilities.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace ferry::detail {

/// What was measured of a device is measured once: it stays in the process, and on disk in the cache of
/// compiled kernels under the device, its driver, Ferry's version and what the driver declared.
/// FERRY_CALIBRATION has its say. Blocks while it measures, facts and costs at once, at most 2 s for the
/// device, unless it is asked to measure afresh. All is measured in child processes (trial.hpp): without a
/// tool nothing is. Never throws for a measurement that fails: its facts stay as declared, and the costs are
/// not known().
MemoryCapabilities capabilities_of(DeviceState& device, MemoryKind kind, Probe probe, SourceLocation where);

/// What is known without measuring: of this process, or from disk, where it looks once. Else what the driver
/// declares, and costs that are not known(). Under FERRY_CALIBRATION=fresh the first call measures. Waits for
/// no measurement of another thread's.
MemoryCapabilities known_capabilities(DeviceState& device, MemoryKind kind, SourceLocation where);
std::shared_ptr<const Calibration> known_calibration(DeviceState& device, SourceLocation where);

/// Of the time for a device, what is left for costs once a compiler is done.
inline constexpr double part_for_costs = 0.5;

/// While one lives, this thread's calls measure nothing by themselves: what is measured shares memory itself.
class Measuring {
public:
    Measuring() noexcept;
    Measuring(const Measuring&) = delete;
    Measuring& operator=(const Measuring&) = delete;
    ~Measuring();
};

/// As a new process begins: what is known is what is on disk. For tests; not while another thread measures.
void forget(DeviceState& device);

/// Takes facts, in the order of MemoryKind, for what is known of the device in this process.
void adopt(DeviceState& device, const std::array<MemoryCapabilities, 4>& facts);

/// Facts as text, a line for each, and back from the front of a text, which is taken off it, into a record of
/// that kind that has no values yet. False, and nothing changed, for a text of another form.
std::string to_text(const MemoryCapabilities& facts);
bool take_facts(std::string_view& text, MemoryCapabilities& facts);

} // namespace ferry::detail
