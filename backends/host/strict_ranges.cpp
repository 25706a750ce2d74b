// SPDX-License-Identifier: Apache-2.0
#include "strict_ranges.hpp"

#include <algorithm>
#include <mutex>

namespace ferry::host {

struct RangeList {
    std::mutex mutex;
    std::list<RangeInFlight::Range> ranges;
    std::uint64_t count = 0;

    static RangeList& get() {
        static RangeList& list = *new RangeList;
        return list;
    }
};

RangeInFlight::RangeInFlight(const void* data, std::size_t bytes, Use use) {
    RangeList& list = RangeList::get();
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::lock_guard lock(list.mutex);
    place_ = list.ranges.insert(list.ranges.end(), {begin, begin + bytes, use});
    ++list.count;
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
        return &other != &*place_ && other.use == Use::filled && other.begin < place_->end &&
               place_->begin < other.end;
    });
}

std::uint64_t RangeInFlight::count() {
    RangeList& list = RangeList::get();
    const std::lock_guard lock(list.mutex);
    return list.count;
}

} // namespace ferry::host
