// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_ranges.hpp"

#include "base/no_destructor.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace ferry::host {

struct RangeList {
    std::mutex mutex;
    std::list<RangeInFlight::Range> ranges;
    std::uint64_t count = 0;

    static RangeList& get() {
        static detail::NoDestructor<RangeList> list;
        return *list;
    }
};

RangeInFlight::RangeInFlight(const void* data, std::size_t bytes, Use use, const Order& order,
                             std::string command) {
    RangeList& list = RangeList::get();
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::lock_guard lock(list.mutex);
    place_ = list.ranges.insert(list.ranges.end(),
                                {begin, begin + bytes, use, order.queue(), ++list.count, std::move(command)});
}

RangeInFlight::~RangeInFlight() {
    RangeList& list = RangeList::get();
    const std::lock_guard lock(list.mutex);
    list.ranges.erase(place_);
}

bool RangeInFlight::is_alone() const {
    RangeList& list = RangeList::get();
    const std::lock_guard lock(list.mutex);
    return std::none_of(list.ranges.begin(), list.ranges.end(), [&](const Range& other) {
        return &other != &*place_ && other.begin < place_->end && place_->begin < other.end;
    });
}

bool RangeInFlight::is_filled_by_another() const {
    RangeList& list = RangeList::get();
    const std::lock_guard lock(list.mutex);
    return std::any_of(list.ranges.begin(), list.ranges.end(), [&](const Range& other) {
        return &other != &*place_ && (other.use == Use::written || other.use == Use::may_be_written) &&
               other.begin < place_->end && place_->begin < other.end;
    });
}

std::optional<RangeInFlight::Conflict> RangeInFlight::conflict(const Order& order) const {
    RangeList& list = RangeList::get();
    const std::lock_guard lock(list.mutex);
    const Range& mine = *place_;
    const auto certain = [](Use use) { return use == Use::read || use == Use::written; };
    for (auto other = list.ranges.begin(); other != place_; ++other) {
        const bool writes = other->use == Use::written;
        if (certain(other->use) && certain(mine.use) && (writes || mine.use == Use::written) &&
            other->begin < mine.end && mine.begin < other->end && !order.after(other->queue, other->number)) {
            return Conflict{other->command, writes, std::max(other->begin, mine.begin) - mine.begin,
                            std::min(other->end, mine.end) - mine.begin};
        }
    }
    return std::nullopt;
}

std::uint64_t RangeInFlight::count() {
    RangeList& list = RangeList::get();
    const std::lock_guard lock(list.mutex);
    return list.count;
}

} // namespace ferry::host
