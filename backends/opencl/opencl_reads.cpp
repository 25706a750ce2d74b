// SPDX-License-Identifier: Apache-2.0
#include "opencl_reads.hpp"

#include <algorithm>

namespace ferry::opencl {
namespace {

constexpr std::size_t most_ranges = 64; // Beyond this, two ranges become one that covers both.

std::uintptr_t address(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory);
}

} // namespace

void HostReads::add(const void* memory, std::size_t bytes, Pages pages, std::uint64_t command) {
    const std::lock_guard lock(mutex_);
    std::erase_if(ranges_, [this](const Range& range) { return progress_.covers(range.command); });
    ranges_.reserve(most_ranges); // Once, so that copies allocate nothing later.
    if (ranges_.size() == most_ranges) {
        Range& oldest = ranges_.front();
        const Range& next = ranges_[1];
        oldest = {std::min(oldest.begin, next.begin), std::max(oldest.end, next.end), next.command,
                  oldest.pages == next.pages ? next.pages : Pages::ordinary};
        ranges_.erase(ranges_.begin() + 1);
    }
    ranges_.push_back({address(memory), address(memory) + bytes, command, pages});
    // Relaxed: only a hint, because are_pending() reads the ranges under the mutex.
    newest_.store(command, std::memory_order_relaxed);
}

bool HostReads::are_pending(const void* memory, std::size_t bytes, Pages pages) const {
    // Relaxed: additions by other threads that are ordered before this call are seen, and the rest need not
    // be.
    if (progress_.covers(newest_.load(std::memory_order_relaxed))) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
        return range.begin < address(memory) + bytes && address(memory) < range.end &&
               (range.pages == Pages::ordinary || pages == Pages::locked) && !progress_.covers(range.command);
    });
}

} // namespace ferry::opencl
