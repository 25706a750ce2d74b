// SPDX-License-Identifier: Apache-2.0
#include "staging/copy_thread_count.hpp"

#include "base/copy_threads.hpp"
#include "base/no_destructor.hpp"
#include "base/processor.hpp"
#include "cache/measured_once.hpp"
#include "staging/policy.hpp"

#include <string>
#include <thread>

namespace ferry::detail {
namespace {

constexpr std::chrono::milliseconds copy_budget{50};

MeasuredOnce& measured_rates() {
    static NoDestructor<MeasuredOnce> one;
    return *one;
}

MeasuredOnce::IsWhole rates_for(unsigned most) {
    return [most](const std::string& text) { return staging::copy_rates_from(text, most).has_value(); };
}

} // namespace

cache::Key key_of_copy_rates(unsigned most) {
    cache::Key key;
    key.add("measured", "copy threads")
        .add("form", 2)
        .add("processor", host::processor().identity)
        .add("processors", std::thread::hardware_concurrency())
        .add("most", most);
    return key;
}

std::vector<staging::CopyRate> known_copy_rates(unsigned most) {
    const std::string text = measured_rates().known(key_of_copy_rates(most), rates_for(most));
    return staging::copy_rates_from(text, most).value_or(std::vector<staging::CopyRate>());
}

void learn_copy_rates(unsigned most, bool afresh, const MeasureCopyRates& measure) {
    if (most < 2) {
        return;
    }
    const auto measure_text = [&]() -> std::optional<std::string> {
        const auto rates = measure(most, copy_budget);
        return rates ? std::optional(staging::to_text(*rates)) : std::nullopt;
    };
    if (measured_rates().learn(key_of_copy_rates(most), afresh, rates_for(most), measure_text)) {
        staging::connect();
        staging::Workers::look_again();
    }
}

void forget_copy_rates() {
    measured_rates().forget();
}

} // namespace ferry::detail
