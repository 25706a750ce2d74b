// SPDX-License-Identifier: Apache-2.0
#include "check/shadow.hpp"

#include <algorithm>
#include <iterator>

namespace ferry::detail::race {

Shadow::Parts::const_iterator Shadow::first_touching(std::size_t begin) const {
    auto part = parts_.upper_bound(begin);
    if (part != parts_.begin() && std::prev(part)->second.end > begin) {
        --part;
    }
    return part;
}

std::optional<Shadow::Conflict> Shadow::find(std::size_t begin, std::size_t end, bool writes,
                                             const Clock& clock) const {
    for (auto part = first_touching(begin); part != parts_.end() && part->first < end; ++part) {
        const auto conflict = [&](const Stamp& stamp, bool other_writes) {
            return Conflict{stamp, other_writes, std::max(begin, part->first),
                            std::min(end, part->second.end)};
        };
        if (!part->second.write.before(clock)) {
            return conflict(part->second.write, true);
        }
        if (writes) {
            for (const Stamp& read : part->second.reads) {
                if (!read.before(clock)) {
                    return conflict(read, false);
                }
            }
        }
    }
    return std::nullopt;
}

void Shadow::split(std::size_t at) {
    const auto found = first_touching(at);
    if (found == parts_.end() || found->first >= at) {
        return;
    }
    Part& left = parts_[found->first];
    Part right = left;
    left.end = at;
    parts_.emplace(at, std::move(right));
}

void Shadow::add(std::size_t begin, std::size_t end, bool writes, const Stamp& stamp, const Clock& clock) {
    if (writes) {
        erase(begin, end);
        parts_[begin] = {end, stamp, {}};
        return;
    }
    split(begin);
    split(end);
    std::size_t at = begin;
    auto part = parts_.lower_bound(begin);
    while (at < end) {
        if (part == parts_.end() || part->first > at) { // A gap.
            const std::size_t gap_end = part == parts_.end() ? end : std::min(end, part->first);
            part = parts_.emplace_hint(part, at, Part{gap_end, {}, {}});
        }
        std::vector<Stamp>& reads = part->second.reads;
        std::erase_if(reads, [&](const Stamp& read) { return read.before(clock); });
        reads.push_back(stamp);
        at = part->second.end;
        ++part;
    }
}

void Shadow::erase(std::size_t begin, std::size_t end) {
    split(begin);
    split(end);
    parts_.erase(parts_.lower_bound(begin), parts_.lower_bound(end));
}

void Shadow::prune(const Clock& known) {
    std::erase_if(parts_, [&](const auto& entry) {
        const Part& part = entry.second;
        return part.write.before(known) && std::all_of(part.reads.begin(), part.reads.end(),
                                                       [&](const Stamp& read) { return read.before(known); });
    });
}

} // namespace ferry::detail::race
