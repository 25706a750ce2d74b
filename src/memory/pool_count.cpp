// SPDX-License-Identifier: Apache-2.0
// The counters of a pool.
#include "memory/device_pool.hpp"

#include <algorithm>

namespace ferry::detail {
namespace {

void add_reserved(PoolUse& use, std::int64_t bytes) noexcept {
    use.reserved += static_cast<std::uint64_t>(bytes); // Modulo 2^64, so it may be negative.
    use.reserved_peak = std::max(use.reserved_peak, use.reserved);
}

} // namespace

void DevicePool::count_reserved(MemoryKind kind, std::int64_t bytes) noexcept {
    add_reserved(counted(kind).use, bytes);
    add_reserved(sum_, bytes);
}

void DevicePool::reserve_direct(MemoryKind kind, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!has_room(kind, bytes)) {
        PoolUse sum = sum_;
        shelves_.add_to(sum);
        throw describe({kind, sum, limit_, pinned_budget()}, nullptr);
    }
    count_reserved(kind, static_cast<std::int64_t>(bytes));
    ++counted(kind).use.driver_allocations;
    ++sum_.driver_allocations;
}

void DevicePool::unreserve_direct(MemoryKind kind, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    count_reserved(kind, -static_cast<std::int64_t>(bytes));
}

void DevicePool::count_wait(MemoryKind kind) noexcept {
    const std::lock_guard lock(mutex_);
    ++counted(kind).use.waits;
    ++sum_.waits;
}

PoolUse DevicePool::use(MemoryKind kind) const {
    const std::lock_guard lock(mutex_);
    PoolUse use = counted(kind).use;
    shelves_.add_to(use, kind);
    return use;
}

PoolUse DevicePool::use() const {
    const std::lock_guard lock(mutex_);
    PoolUse use = sum_;
    shelves_.add_to(use);
    return use;
}

void DevicePool::set_limit(std::uint64_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
}

std::uint64_t DevicePool::limit() const noexcept {
    const std::lock_guard lock(mutex_);
    return limit_;
}

} // namespace ferry::detail
