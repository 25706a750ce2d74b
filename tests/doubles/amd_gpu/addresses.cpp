// SPDX-License-Identifier: Apache-2.0
#include "addresses.hpp"

#include "fault.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>

namespace amd_gpu {
namespace {

constexpr std::size_t remembered_frees = 4096;

const Range* holding(const std::vector<Range>& ranges, u64 address, u64 size) {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                        [](u64 value, const Range& range) { return value < range.begin; });
    if (after == ranges.begin()) {
        return nullptr;
    }
    const Range& range = *std::prev(after);
    return address >= range.end || size > range.end - address ? nullptr : &range;
}

// The memory of this process that can be read, in order; adjoining mappings are one range. A store to what
// can only be read ends the process.
std::vector<Range> host_memory() {
    std::vector<Range> all;
    const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "re"), std::fclose);
    char line[512];
    while (maps != nullptr && std::fgets(line, sizeof line, maps.get()) != nullptr) {
        u64 begin = 0;
        u64 end = 0;
        char mode[5] = {};
        if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, mode) != 3 || mode[0] != 'r') {
            continue;
        }
        if (!all.empty() && all.back().end == begin) {
            all.back().end = end;
        } else {
            all.push_back({begin, end, reinterpret_cast<u8*>(begin)});
        }
    }
    return all;
}

} // namespace

void AddressMap::add(const Range& range) {
    const std::lock_guard lock(mutex_);
    ranges_[range.begin] = range;
    version_.fetch_add(1, std::memory_order_release);
}

void AddressMap::remove(u64 begin) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(begin);
    if (found == ranges_.end()) {
        return;
    }
    if (freed_.size() < remembered_frees) {
        freed_.push_back(found->second);
    } else {
        freed_[next_freed_++ % remembered_frees] = found->second;
    }
    ranges_.erase(found);
    version_.fetch_add(1, std::memory_order_release);
}

std::vector<Range> AddressMap::ranges() const {
    const std::lock_guard lock(mutex_);
    std::vector<Range> all;
    all.reserve(ranges_.size());
    for (const auto& entry : ranges_) {
        all.push_back(entry.second);
    }
    return all;
}

std::string AddressMap::describe(u64 address) const {
    const std::lock_guard lock(mutex_);
    const auto bytes = [](u64 count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); };
    const auto name = [&](const Range& range) {
        return "the allocation of " + bytes(range.end - range.begin) + " at " + hexadecimal(range.begin);
    };
    const auto after = ranges_.upper_bound(address);
    if (after != ranges_.begin()) {
        const Range& before = std::prev(after)->second;
        if (address < before.end) {
            return "in " + name(before) + ", past whose end the access goes";
        }
    }
    for (auto freed = freed_.rbegin(); freed != freed_.rend(); ++freed) {
        if (address >= freed->begin && address < freed->end) {
            return "in memory that was freed, " + name(*freed);
        }
    }
    constexpr u64 near = 1 << 20;
    if (after != ranges_.begin() && address - std::prev(after)->second.end < near) {
        const Range& before = std::prev(after)->second;
        return bytes(address - before.end) + " past " + name(before);
    }
    if (after != ranges_.end() && after->first - address < near) {
        return bytes(after->first - address) + " before " + name(after->second);
    }
    return "in no memory that the device reaches";
}

AddressMap& addresses() {
    static AddressMap& map = *new AddressMap;
    return map;
}

const Range* AddressView::search(u64 address, u64 size) {
    if (const u64 now = map_.version(); now != version_) {
        ranges_ = map_.ranges();
        version_ = now;
        last_ = Range{};
    }
    const Range* found = holding(ranges_, address, size);
    if (found == nullptr && map_.host_too()) {
        found = holding(host_ranges_, address, size);
        if (found == nullptr) {
            host_ranges_ = host_memory();
            found = holding(host_ranges_, address, size);
        }
    }
    if (found == nullptr) {
        return nullptr;
    }
    last_ = *found;
    return &last_;
}

} // namespace amd_gpu
