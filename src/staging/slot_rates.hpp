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

/// Bytes a second that large copies of ordinary memory reach through slots of that size.
struct SlotRate {
    std::size_t slot_bytes = 0;
    double up = 0;
    double down = 0;
};

/// What is measured.
inline constexpr std::array<std::size_t, 4> slot_sizes{std::size_t{1} << 20, std::size_t{2} << 20,
                                                       std::size_t{4} << 20, std::size_t{8} << 20};

/// The smallest size with which bytes go up and down in no more than 1 / 0.95 of the shortest time; 0 of no
/// rates.
std::size_t smallest_slot(const std::vector<SlotRate>& rates) noexcept;

/// Copies up and down with all sizes in turn, so that what disturbs one disturbs all, while the time lasts:
/// for each round what each size reached, in the order of slot_sizes. None where the machine is too slow for
/// one, or has no room: up to 256 MiB of ordinary memory and of the device's, 8 MiB for each slot.
std::vector<std::vector<SlotRate>> measure_slot_rounds(const Device& device, std::chrono::milliseconds time);

/// The medians of the rounds' faster halves. Nothing of fewer than three rounds, or where those do not agree:
/// the machine was too busy.
std::optional<std::vector<SlotRate>> settled_slots(const std::vector<std::vector<SlotRate>>& rounds);

/// As text, a line for each, and back. Nothing from a text of another form.
std::string to_text(const std::vector<SlotRate>& rates);
std::optional<std::vector<SlotRate>> slot_rates_from(std::string_view text);

/// "with 1 MiB 31.8 GB/s up and 36.7 down, with 2 MiB ..."
std::string describe(const std::vector<SlotRate>& rates);

} // namespace ferry::detail::staging
