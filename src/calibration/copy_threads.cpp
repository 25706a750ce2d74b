// SPDX-License-Identifier: Apache-2.0
#include "calibration/copy_threads.hpp"

#include "cache/disk_cache.hpp"
#include "environment.hpp"
#include "host/host_system.hpp"
#include "staging/workers.hpp"

#include <ferry/error.hpp>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace ferry::detail {
namespace {

constexpr std::chrono::milliseconds copy_budget{50};
constexpr std::size_t most_copy_tries = 3;
constexpr std::string_view copy_threads = "copy threads";
constexpr std::string_view tries_of_copy_threads = "tries of copy threads";

struct Rates {
    bool looked = false; ///< on disk
    bool tried = false;  ///< to measure
    std::vector<staging::CopyRate> rates;
};

struct Known {
    std::mutex measuring;           ///< before `mutex`
    std::mutex mutex;               ///< all that follows
    std::map<unsigned, Rates> upto; ///< so many threads: callers may be bound to different processors
};
Known& known() {
    static Known* const one = new Known; // copy threads may outlive static destruction
    return *one;
}

cache::Key key_of(std::string_view what, unsigned most) {
    cache::Key key;
    key.add("measured", what)
        .add("form", 1)
        .add("processor", host::processor_text("model name"))
        .add("processors", std::thread::hardware_concurrency())
        .add("most", most);
    return key;
}

Calibrating setting() noexcept {
    try {
        return calibration_setting({});
    } catch (const std::exception&) { // told where devices are asked
        return Calibrating::off;
    }
}

std::size_t tries(unsigned most) {
    const auto kept = cache::shared().load(key_of(tries_of_copy_threads, most));
    return kept ? kept->size() : 0;
}

/// With Known::mutex held.
Rates& look(Known& all, unsigned most) {
    Rates& one = all.upto[most];
    if (one.looked) {
        return one;
    }
    one.looked = true;
    if (setting() != Calibrating::automatic) {
        return one;
    }
    if (const auto text = cache::shared().load(key_of(copy_threads, most))) {
        one.rates = staging::copy_rates_from(*text, most).value_or(one.rates);
    }
    return one;
}

} // namespace

std::vector<staging::CopyRate> known_copy_rates(unsigned most) {
    Known& all = known();
    const std::lock_guard lock(all.mutex);
    return look(all, most).rates;
}

cache::Key key_of_copy_rates(unsigned most) {
    return key_of(copy_threads, most);
}

void learn_copy_rates(unsigned most, bool afresh, const MeasureCopyRates& measure) {
    Known& all = known();
    const std::lock_guard one_at_a_time(all.measuring);
    {
        const std::lock_guard lock(all.mutex);
        Rates& one = look(all, most);
        if (most < 2 || (!afresh && (one.tried || !one.rates.empty()))) {
            return;
        }
        one.tried = true;
    }
    if (!afresh && setting() == Calibrating::automatic && tries(most) >= most_copy_tries) {
        return;
    }
    const auto rates = measure(most, copy_budget);
    if (!rates) {
        cache::shared().store(key_of(tries_of_copy_threads, most), std::string(tries(most) + 1, 'x'));
        return;
    }
    cache::shared().store(key_of_copy_rates(most), staging::to_text(*rates));
    {
        const std::lock_guard lock(all.mutex);
        all.upto[most].rates = *rates;
    }
    staging::Workers::look_again();
}

void forget_copy_rates() {
    const std::lock_guard lock(known().mutex);
    known().upto.clear();
}

} // namespace ferry::detail
