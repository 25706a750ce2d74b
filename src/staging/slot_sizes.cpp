// SPDX-License-Identifier: Apache-2.0
#include "staging/slot_sizes.hpp"

#include "base/no_destructor.hpp"
#include "cache/measured_once.hpp"
#include "device/device_state.hpp"
#include "staging/device_key.hpp"
#include "staging/policy.hpp"
#include "staging/slots.hpp"

#include <string>

namespace ferry::detail {
namespace {

constexpr std::chrono::milliseconds slots_budget{300};

MeasuredOnce& measured_slots() {
    static NoDestructor<MeasuredOnce> one;
    return *one;
}

cache::Key key_of(DeviceState& device) {
    // The threads that fill them depend on this machine and the process.
    return device_key(device, "slots").add("most threads", staging::most_threads());
}

bool is_whole(const std::string& text) {
    return staging::slot_rates_from(text).has_value();
}

} // namespace

std::vector<staging::SlotRate> known_slot_rates(DeviceState& device) {
    const std::string text = measured_slots().known(key_of(device), is_whole);
    return staging::slot_rates_from(text).value_or(std::vector<staging::SlotRate>());
}

void learn_slot_rates(DeviceState& device, bool afresh, const MeasureSlotRates& measure) {
    const auto measure_text = [&]() -> std::optional<std::string> {
        const auto rates = measure(slots_budget);
        return rates ? std::optional(staging::to_text(*rates)) : std::nullopt;
    };
    if (measured_slots().learn(key_of(device), afresh, is_whole, measure_text) &&
        device.slots().slot_bytes() != staging::slot_size(&device).bytes) {
        device.slots().trim({});
    }
}

void forget_slot_rates() {
    measured_slots().forget();
}

} // namespace ferry::detail
