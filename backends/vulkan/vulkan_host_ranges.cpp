// SPDX-License-Identifier: Apache-2.0
#include "vulkan_host_ranges.hpp"

#include <algorithm>
#include <mutex>

namespace ferry::vulkan {

void HostRanges::add(const void* start, std::size_t bytes, VulkanMemory& memory, bool imported) {
    const std::unique_lock lock(mutex_);
    entries_.emplace(reinterpret_cast<std::uintptr_t>(start), Entry{bytes, &memory, imported});
    longest_ = std::max(longest_, bytes);
}

void HostRanges::remove(const VulkanMemory& memory) noexcept {
    const std::unique_lock lock(mutex_);
    std::erase_if(entries_, [&](const auto& pair) { return pair.second.memory == &memory; });
}

HostRanges::Found HostRanges::find(const void* start, std::size_t bytes) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(start);
    const std::uintptr_t end = begin + bytes;
    const std::shared_lock lock(mutex_);
    Found found;
    for (auto at = entries_.lower_bound(begin > longest_ ? begin - longest_ : 0);
         at != entries_.end() && at->first < end; ++at) {
        const std::uintptr_t last = at->first + at->second.bytes;
        if (at->first <= begin && end <= last && !at->second.imported) {
            return {Match::whole, at->second.memory, begin - at->first};
        }
        if (begin < last) {
            found.match = Match::waits;
        }
    }
    return found;
}

} // namespace ferry::vulkan
