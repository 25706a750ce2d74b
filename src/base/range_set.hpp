// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ferry::detail {

/// Bytes [begin, end).
struct ByteRange {
    std::size_t begin = 0, end = 0;

    std::size_t size() const noexcept { return end - begin; }
    bool overlaps(const ByteRange& other) const noexcept { return begin < other.end && other.begin < end; }
    bool holds(const ByteRange& other) const noexcept { return begin <= other.begin && other.end <= end; }
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A set of bytes as the smallest number of ranges, in order.
class RangeSet {
public:
    RangeSet() = default;
    explicit RangeSet(ByteRange range) { add(range); }

    void add(ByteRange range);
    void remove(ByteRange range);
    bool holds(ByteRange range) const;
    /// The bytes of `range` that are in the set, and those that are not.
    std::vector<ByteRange> common(ByteRange range) const;
    std::vector<ByteRange> missing(ByteRange range) const;
    const std::vector<ByteRange>& ranges() const noexcept { return ranges_; }

private:
    std::vector<ByteRange> ranges_;
};

} // namespace ferry::detail
