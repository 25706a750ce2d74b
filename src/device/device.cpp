// SPDX-License-Identifier: Apache-2.0
#include "device/device_state.hpp"
#include "device/runtime.hpp"
#include "memory/device_pool.hpp"
#include "queue/queue_state.hpp"
#include "system/machine.hpp"
#include "trace/trace.hpp"

#include <ferry/device.hpp>

#include <algorithm>

namespace ferry {

const DeviceInfo& Device::info() const noexcept {
    return state_->info();
}

std::string Device::id() const {
    return state_->id();
}

std::vector<Device> Device::alternates() const {
    std::vector<Device> result;
    detail::Runtime& runtime = detail::Runtime::get();
    for (const backend::Row& row : backend::rows) {
        if (row.backend == backend() || !runtime.is_open(row.backend)) {
            continue;
        }
        for (const auto& other : runtime.devices(row.backend)) {
            if (detail::same_hardware(info(), other->info())) {
                result.emplace_back(*other);
            }
        }
    }
    return result;
}

MemoryInfo Device::memory(SourceLocation where) const {
    state_->check_alive(where);
    MemoryInfo memory;
    memory.total = info().total_memory;
    memory.max_allocation = info().max_allocation;
    const PoolUse use = state_->pool().use();
    memory.used_here = use.used;
    try {
        memory.free = state_->native().free_memory();
    } catch (const Error& error) {
        throw error.with_where(where);
    }
    // If the device's memory is the processor's, all processes use it.
    if (info().integrated == true || info().kind == DeviceKind::cpu) {
        const std::uint64_t left = memory.free.value_or(memory.total - std::min(use.reserved, memory.total));
        memory.free = std::min({left, memory.total, host::free_memory().value_or(left)});
    }
    return memory;
}

void Device::finish(SourceLocation where) const {
    const trace::Span span("Device::finish", where);
    detail::QueueState::finish_all(*state_, where);
}

Pool Device::pool() const noexcept {
    return Pool(*state_);
}

bool Device::has(MemoryKind kind) const noexcept {
    switch (kind) {
    case MemoryKind::host:
        return info().host_memory;
    case MemoryKind::shared:
        return info().shared_memory;
    case MemoryKind::imported:
        return false; // It depends on the memory; Imported reports it.
    default:
        return true;
    }
}

} // namespace ferry
