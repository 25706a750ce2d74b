// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {
class Device;
}

namespace ferry::detail::staging {

/// Rates in bytes per second of large copies of pageable memory through slots of this size.
struct SlotRate {
    std::size_t slot_bytes = 0;
    double up = 0;
    double down = 0;
};

/// The slot sizes to measure, in bytes.
inline constexpr std::array<std::size_t, 4> slot_sizes{std::size_t{1} << 20, std::size_t{2} << 20,
                                                       std::size_t{4} << 20, std::size_t{8} << 20};

/// The smallest size whose time for copies in both directions is at most 1 / 0.95 of the shortest one. 0 if
/// `rates` is empty.
std::size_t smallest_slot(const std::vector<SlotRate>& rates) noexcept;

/// Copies in both directions with each size in turn, so that a disturbance affects all sizes, until `time`
/// has passed. Returns for each round the rate of each size, in the order of slot_sizes. Empty if the machine
/// is too slow for one round or lacks memory. Needs up to 256 MiB of pageable memory, the same on the device,
/// and 8 MiB for each slot.
std::vector<std::vector<SlotRate>> measure_slot_rounds(const Device& device, std::chrono::milliseconds time);

/// The medians of the faster halves of the rounds. No value if there are fewer than three rounds or if they
/// vary too much, because the machine was busy.
std::optional<std::vector<SlotRate>> robust_slot_rates(const std::vector<std::vector<SlotRate>>& rounds);

/// Conversion to text, one line for each size, and back. No value if the text has another form.
std::string to_text(const std::vector<SlotRate>& rates);
std::optional<std::vector<SlotRate>> slot_rates_from(std::string_view text);

/// "with 1 MiB 31.8 GB/s up and 36.7 down, with 2 MiB ..."
std::string describe(const std::vector<SlotRate>& rates);

} // namespace ferry::detail::staging
