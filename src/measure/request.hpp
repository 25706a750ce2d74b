// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "child/message.hpp"
#include "knowledge/placement_costs.hpp"

#include <ferry/backend.hpp>
#include <ferry/capabilities.hpp>
#include <ferry/device.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::detail::child_run {

inline constexpr std::array kinds{MemoryKind::device, MemoryKind::host, MemoryKind::shared,
                                  MemoryKind::imported};
/// Facts that share() uses come first, because there may not be time for all.
inline constexpr std::array by_use{MemoryKind::imported, MemoryKind::host, MemoryKind::shared,
                                   MemoryKind::device};
using Facts = std::array<MemoryCapabilities, kinds.size()>; ///< In the order of `kinds`.

/// A part of a measurement, as text: "start", "host atomics" (a kind and a memory test), "costs 4096".
using Step = std::string;

/// The request to a child. Its text ends with a line "go".
struct Request {
    Backend backend{};
    std::uint32_t index = 0; ///< Among the backend's devices.
    std::string identity;    ///< identity_of() the device, because the child may see other ones.
    Clock::time_point until; ///< No test begins after it.
    /// The time that remains for tests even if drivers and compilers used all of it.
    std::chrono::milliseconds at_least{};
    bool costs = false; ///< Measure the costs of placements.
    bool tests = false; ///< Measure the facts.
    bool slots = false; ///< Measure the speed of copies through slots of several sizes, before all else.
    std::vector<Step> left_out;
    Facts facts;            ///< The values known so far.
    CostModel costs_before; ///< From an earlier process. Its sizes are not measured again.
};

/// Distinguishes a device from others of its backend, in one line.
std::string identity_of(const DeviceInfo& info);
std::string to_text(const Request& request);
/// No value if the text is not exactly a request of this version.
std::optional<Request> request_from(std::string_view text);

/// The kinds' names in texts.
std::optional<MemoryKind> kind_from(std::string_view name) noexcept;
/// "facts KIND" and the lines of the record, for take_facts().
std::string facts_text(const MemoryCapabilities& facts);

} // namespace ferry::detail::child_run
