// SPDX-License-Identifier: Apache-2.0
#include "vulkan_pace.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace ferry::vulkan {
namespace {

// Sums of forecasts cannot overflow.
constexpr std::uint64_t most_time = std::numeric_limits<std::uint64_t>::max() >> 20U;

std::size_t class_of(std::uint64_t size, std::size_t classes) noexcept {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(size)), classes) - 1;
}

} // namespace

std::uint64_t Pace::forecast(std::uint64_t size) const noexcept {
    const std::size_t own = class_of(size, classes);
    for (std::size_t below = 0; below <= own; ++below) {
        const std::uint64_t time = times_[own - below].load(std::memory_order_relaxed);
        if (time != 0) { // Twice the size takes at most twice the time.
            return time > most_time >> below ? most_time : time << below;
        }
    }
    for (std::size_t above = own + 1; above < classes; ++above) {
        const std::uint64_t time = times_[above].load(std::memory_order_relaxed);
        if (time != 0) {
            return time;
        }
    }
    return 0;
}

void Pace::learn(std::uint64_t size, std::uint64_t time) noexcept {
    std::atomic<std::uint64_t>& kept = times_[class_of(size, classes)];
    // Relaxed: if two threads learn at once, either time is a forecast. known_ orders the first one.
    const std::uint64_t before = kept.load(std::memory_order_relaxed);
    const std::uint64_t now = std::clamp<std::uint64_t>(time, 1, most_time);
    kept.store(std::max(now, before / 2), std::memory_order_relaxed);
    known_.store(true, std::memory_order_release); // After the time, which a reader of `true` sees.
}

void SubmitWork::add(const std::shared_ptr<Pace>& pace, std::uint64_t size) {
    const std::uint64_t forecast = forecast_of(*pace, size);
    forecast_ += forecast;
    if (!entries_.empty() && entries_.back().pace == pace && entries_.back().size == size) {
        ++entries_.back().count;
    } else if (entries_.size() < kept) { // Otherwise nothing is learned of it.
        entries_.push_back({pace, size, forecast, 1});
    }
}

void SubmitWork::clear() noexcept {
    entries_.clear();
    forecast_ = 0;
}

std::shared_ptr<Pace> SubmitWork::unknown() const noexcept {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [](const Entry& entry) { return !entry.pace->is_known(); });
    return found == entries_.end() ? nullptr : found->pace;
}

std::shared_ptr<Pace> SubmitWork::learn(std::uint64_t time) {
    const double scale =
        static_cast<double>(time) / static_cast<double>(std::max<std::uint64_t>(forecast_, 1));
    std::shared_ptr<Pace> too_long;
    for (const Entry& entry : entries_) {
        entry.pace->learn(entry.size,
                          static_cast<std::uint64_t>(static_cast<double>(entry.forecast) * scale));
    }
    if (entries_.size() == 1 && entries_[0].count == 1 && time >= long_kernel &&
        entries_[0].pace->may_warn()) {
        too_long = entries_[0].pace;
    }
    clear();
    return too_long;
}

} // namespace ferry::vulkan
