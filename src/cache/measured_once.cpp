// SPDX-License-Identifier: Apache-2.0
#include "cache/measured_once.hpp"

#include "base/settings.hpp"
#include "cache/disk_cache.hpp"

#include <cstddef>
#include <exception>

namespace ferry::detail {
namespace {

constexpr std::size_t tries_in_vain = 3;

cache::Key tries_of(cache::Key key) {
    return key.add("tries", 1);
}

std::size_t count_tries(const cache::Key& key) {
    const auto kept = cache::shared().load(tries_of(key));
    return kept ? kept->size() : 0;
}

Calibrating setting() noexcept {
    try {
        return calibration_setting({});
    } catch (const std::exception&) { // Reported when devices are queried.
        return Calibrating::off;
    }
}

} // namespace

MeasuredOnce::Entry& MeasuredOnce::look(const cache::Key& key, const IsWhole& is_whole) {
    Entry& entry = entries_[key.text()];
    if (entry.looked) {
        return entry;
    }
    entry.looked = true;
    if (setting() == Calibrating::automatic) {
        const auto text = cache::shared().load(key);
        entry.text = text && is_whole(*text) ? *text : std::string();
    }
    return entry;
}

std::string MeasuredOnce::known(const cache::Key& key, const IsWhole& is_whole) {
    const std::lock_guard lock(mutex_);
    return look(key, is_whole).text;
}

bool MeasuredOnce::learn(const cache::Key& key, bool afresh, const IsWhole& is_whole,
                         const Measure& measure) {
    const std::lock_guard one_at_a_time(measuring_);
    {
        const std::lock_guard lock(mutex_);
        Entry& entry = look(key, is_whole);
        if (!afresh && (entry.tried || !entry.text.empty())) {
            return false;
        }
        entry.tried = true;
    }
    if (!afresh && setting() == Calibrating::automatic && count_tries(key) >= tries_in_vain) {
        return false;
    }
    const std::optional<std::string> text = measure();
    if (!text || text->empty()) {
        cache::shared().store(tries_of(key), std::string(text ? tries_in_vain : count_tries(key) + 1, 'x'));
        return false;
    }
    cache::shared().store(key, *text);
    const std::lock_guard lock(mutex_);
    entries_[key.text()].text = *text;
    return true;
}

void MeasuredOnce::forget() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
}

} // namespace ferry::detail
