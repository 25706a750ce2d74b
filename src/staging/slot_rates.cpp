// SPDX-License-Identifier: Apache-2.0
#include "staging/slot_rates.hpp"

#include "base/number_text.hpp"

#include <algorithm>
#include <limits>

namespace ferry::detail::staging {
namespace {

constexpr double enough_speed = 0.95;

/// Time in seconds for one byte in each direction.
double seconds_of(const SlotRate& rate) noexcept {
    return 1 / rate.up + 1 / rate.down;
}

} // namespace

std::size_t smallest_slot(const std::vector<SlotRate>& rates) noexcept {
    double least = std::numeric_limits<double>::infinity();
    for (const SlotRate& rate : rates) {
        least = std::min(least, seconds_of(rate));
    }
    std::size_t smallest = 0;
    for (const SlotRate& rate : rates) {
        if (enough_speed * seconds_of(rate) <= least && (smallest == 0 || rate.slot_bytes < smallest)) {
            smallest = rate.slot_bytes;
        }
    }
    return smallest;
}

std::string to_text(const std::vector<SlotRate>& rates) {
    std::string text;
    for (const SlotRate& rate : rates) {
        add_number(text, static_cast<unsigned long long>(rate.slot_bytes), ' ');
        add_number(text, rate.up, ' ');
        add_number(text, rate.down, '\n');
    }
    return text;
}

std::optional<std::vector<SlotRate>> slot_rates_from(std::string_view text) {
    std::vector<SlotRate> rates;
    for (const std::size_t bytes : slot_sizes) {
        SlotRate& rate = rates.emplace_back();
        unsigned long long size = 0;
        if (!read_number(text, ' ', size) || size != bytes || !read_rate(text, ' ', rate.up) ||
            !read_rate(text, '\n', rate.down)) {
            return std::nullopt;
        }
        rate.slot_bytes = bytes;
    }
    return text.empty() ? std::optional(rates) : std::nullopt;
}

std::string describe(const std::vector<SlotRate>& rates) {
    std::string text;
    for (const SlotRate& rate : rates) {
        text += (text.empty() ? "with " : ", with ") + std::to_string(rate.slot_bytes >> 20) + " MiB " +
                gigabytes(rate.up) + " GB/s up and " + gigabytes(rate.down) + " down";
    }
    return text;
}

} // namespace ferry::detail::staging
