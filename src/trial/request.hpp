// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/calibration.hpp"

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

namespace ferry::detail::trial {

inline constexpr std::array kinds{MemoryKind::device, MemoryKind::host, MemoryKind::shared,
                                  MemoryKind::imported};
/// What share() chooses by comes first: there may not be time for all.
inline constexpr std::array by_use{MemoryKind::imported, MemoryKind::host, MemoryKind::shared,
                                   MemoryKind::device};
using Facts = std::array<MemoryCapabilities, kinds.size()>; ///< in the order of `kinds`
using Clock = std::chrono::steady_clock;                    ///< the same in each process of the machine

/// A part of a measurement, as its text: "start", "host atomics" (a kind and a litmus test), "costs 4096".
using Step = std::string;

/// What a child is asked. Its text ends with a line "go".
struct Request {
    Backend backend{};
    std::uint32_t index = 0; ///< among the backend's devices
    std::string identity;    ///< identity_of() the device: the child may see other ones
    Clock::time_point until; ///< no test begins after it
    /// What is left for tests in any case, where drivers and compilers took it all.
    std::chrono::milliseconds at_least{};
    bool costs = false; ///< what placements cost too
    bool tests = false; ///< the facts
    bool slots = false; ///< the speed of copies through slots of several sizes; before all else
    std::vector<Step> left_out;
    Facts facts;              ///< as they are known so far
    Calibration costs_before; ///< of an earlier process; its sizes are not measured again
};

/// What tells a device from others of its backend, in one line.
std::string identity_of(const DeviceInfo& info);
std::string to_text(const Request& request);
/// Nothing for a text that is not quite of a request, or is of another version's.
std::optional<Request> request_from(std::string_view text);

/// The first line of requests and reports: the form of the text, and Ferry's version.
std::string greeting();

/// The kinds' names in texts.
std::optional<MemoryKind> kind_from(std::string_view name) noexcept;
/// Cuts off what is before the next `end`, which goes too; all of it if there is none.
std::string_view next_part(std::string_view& text, char end) noexcept;
/// "facts KIND" and the lines of the record, for take_facts().
std::string facts_text(const MemoryCapabilities& facts);

} // namespace ferry::detail::trial
