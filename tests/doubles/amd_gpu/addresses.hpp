// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace amd_gpu {

// Memory that the device reaches: its addresses, and where the bytes are in this process.
struct Range {
    u64 begin = 0, end = 0;
    u8* host = nullptr;
};

// All memory that devices reach. Every access of a kernel is looked up here.
class AddressMap {
public:
    // HOST_TOO: with page faults (XNACK), which let the device reach all memory of the process.
    explicit AddressMap(bool host_too = false) : host_too_(host_too) {}
    bool host_too() const { return host_too_; }
    void add(const Range& range);
    void remove(u64 begin);
    // Changes with each add() and remove().
    u64 version() const { return version_.load(std::memory_order_acquire); }
    std::vector<Range> ranges() const; // sorted
    // Says of an address that is in no range which range it is near, and whether it has been freed.
    std::string describe(u64 address) const;

private:
    mutable std::mutex mutex_;
    std::map<u64, Range> ranges_;
    std::vector<Range> freed_; // the latest freed ranges, for describe()
    std::size_t next_freed_ = 0;
    const bool host_too_;
    std::atomic<u64> version_{1};
};

// The process's map. Never destroyed: AMD's runtime frees memory while static objects are destroyed.
AddressMap& addresses();

// One thread's copy of the map, renewed when the map has changed.
class AddressView {
public:
    explicit AddressView(const AddressMap& map) : map_(map) {}
    // The range that holds SIZE bytes at ADDRESS, or null. Valid until the next call.
    const Range* find(u64 address, u64 size) {
        if (map_.version() == version_ && address >= last_.begin && address + size <= last_.end) {
            return &last_;
        }
        return search(address, size);
    }
    u8* pointer(u64 address, u64 size) {
        const Range* range = find(address, size);
        return range == nullptr ? nullptr : range->host + (address - range->begin);
    }
    std::string describe(u64 address) const { return map_.describe(address); }
    // The process's memory may have changed.
    void begin_launch() {
        host_ranges_.clear();
        if (map_.host_too()) {
            last_ = Range{};
        }
    }

private:
    const Range* search(u64 address, u64 size);

    const AddressMap& map_;
    std::vector<Range> ranges_;
    std::vector<Range> host_ranges_; // of the process, if the device reaches them
    Range last_;
    u64 version_ = 0;
};

} // namespace amd_gpu
