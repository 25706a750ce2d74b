// SPDX-License-Identifier: Apache-2.0
#include "staging/policy.hpp"

#include "base/copy_threads.hpp"
#include "base/memory_pressure.hpp"
#include "device/device_state.hpp"
#include "staging/copy_thread_count.hpp"
#include "staging/slot_sizes.hpp"
#include "staging/slots.hpp"

#include <algorithm>
#include <limits>

namespace ferry::detail::staging {
namespace {

constexpr std::size_t usual_slot = std::size_t{4} << 20;

} // namespace

ThreadLimit thread_limit() {
    if (tuning().threads != 0) {
        return {tuning().threads, "set by the program"};
    }
    const unsigned most = most_threads();
    const std::vector<CopyRate> rates = known_copy_rates(most);
    return rates.empty() ? ThreadLimit{std::min(most, usual_copy_threads),
                                       "default: a thread for each processor but one, at most 8"}
                         : ThreadLimit{fewest_threads(rates), "measured: " + describe(rates)};
}

SlotSize slot_size(DeviceState* device) {
    if (tuning().slot_bytes != 0) {
        return {tuning().slot_bytes, "set by the program"};
    }
    const std::vector<SlotRate> rates =
        device != nullptr ? known_slot_rates(*device) : std::vector<SlotRate>();
    return rates.empty() ? SlotSize{usual_slot, "default: 4 MiB"}
                         : SlotSize{smallest_slot(rates), "measured: " + describe(rates)};
}

std::size_t straight(DeviceState& device, Staging mode, std::size_t above) noexcept {
    if (mode == Staging::on) {
        return 0;
    }
    const bool staged = mode == Staging::automatic && device.native().gains_from_staging();
    return staged ? above : std::numeric_limits<std::size_t>::max();
}

std::size_t most_slots(unsigned threads) noexcept {
    const std::size_t each = tuning().slots_for_thread;
    return std::clamp<std::size_t>(each * threads, 4, std::max<std::size_t>(each * 16, 4));
}

std::size_t piece_bytes(std::size_t copy, std::size_t slot, unsigned threads) noexcept {
    constexpr std::size_t step = std::size_t{64} << 10;
    const std::size_t fair = copy / (std::size_t{2} * (threads + 1));
    const std::size_t rounded = (fair + step - 1) / step * step;
    return std::min(slot, std::max(rounded, tuning().smallest_slot));
}

void connect() noexcept {
    Workers::set_limit_source([] { return thread_limit().threads; });
    set_staging_trim(&Slots::trim_all);
}

} // namespace ferry::detail::staging
