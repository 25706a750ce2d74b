// SPDX-License-Identifier: Apache-2.0
#include "base/range_set.hpp"

namespace ferry::detail {

void RangeSet::add(ByteRange range) {
    if (range.begin == range.end) {
        return;
    }
    const auto first = std::find_if(ranges_.begin(), ranges_.end(),
                                    [&](const ByteRange& r) { return r.end >= range.begin; });
    auto last = first;
    for (; last != ranges_.end() && last->begin <= range.end; ++last) {
        range.begin = std::min(range.begin, last->begin);
        range.end = std::max(range.end, last->end);
    }
    ranges_.insert(ranges_.erase(first, last), range);
}

void RangeSet::remove(ByteRange range) {
    if (range.begin == range.end) {
        return;
    }
    std::vector<ByteRange> rest;
    rest.reserve(ranges_.size() + 1);
    for (const ByteRange& r : ranges_) {
        if (!r.overlaps(range)) {
            rest.push_back(r);
            continue;
        }
        if (r.begin < range.begin) {
            rest.push_back({r.begin, range.begin});
        }
        if (range.end < r.end) {
            rest.push_back({range.end, r.end});
        }
    }
    ranges_ = std::move(rest);
}

bool RangeSet::holds(ByteRange range) const {
    return range.begin == range.end ||
           std::any_of(ranges_.begin(), ranges_.end(), [&](const ByteRange& r) { return r.holds(range); });
}

std::vector<ByteRange> RangeSet::common(ByteRange range) const {
    std::vector<ByteRange> result;
    for (const ByteRange& r : ranges_) {
        if (r.overlaps(range)) {
            result.push_back({std::max(r.begin, range.begin), std::min(r.end, range.end)});
        }
    }
    return result;
}

std::vector<ByteRange> RangeSet::missing(ByteRange range) const {
    std::vector<ByteRange> result;
    std::size_t at = range.begin;
    for (const ByteRange& r : common(range)) {
        if (at < r.begin) {
            result.push_back({at, r.begin});
        }
        at = r.end;
    }
    if (at < range.end) {
        result.push_back({at, range.end});
    }
    return result;
}

} // namespace ferry::detail
