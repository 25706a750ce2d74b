// SPDX-License-Identifier: Apache-2.0
// The pools of a device, and the part of Device's interface that needs them.
#include "base/settings.hpp"
#include "device/device_state.hpp"
#include "memory/device_pool.hpp"
#include "memory/memory_debug.hpp"
#include "system/machine.hpp"

#include <ferry/device.hpp>
#include <ferry/pool.hpp>

#include <algorithm>
#include <memory>

namespace ferry {
namespace detail {
namespace {

struct Pools : DevicePart {
    explicit Pools(DeviceState& device) {
        const MemoryDebug::Mode mode = MemoryDebug::mode();
        // The strict device checks the boundaries and the end of each allocation.
        const bool strict =
            device.info().backend == Backend::host && library_settings().host_mode.value == "strict";
        const bool debugged = mode != MemoryDebug::Mode::off;
        pool = std::make_unique<DevicePool>(device.native(), debugged || pool_setting(!strict));
        debug = debugged ? std::make_unique<MemoryDebug>(device, mode) : nullptr;
    }
    std::unique_ptr<DevicePool> pool;
    std::unique_ptr<MemoryDebug> debug;
};

} // namespace

DevicePool& DeviceState::pool() {
    return *static_cast<Pools&>(part(Part::pools, [](DeviceState& device) -> std::unique_ptr<DevicePart> {
                return std::make_unique<Pools>(device);
            })).pool;
}

MemoryDebug* DeviceState::memory_debug() noexcept {
    const auto* const made = static_cast<const Pools*>(part_if_made(Part::pools));
    return made != nullptr ? made->debug.get() : nullptr;
}

DevicePool* DeviceState::pool_if_made() noexcept {
    const auto* const made = static_cast<const Pools*>(part_if_made(Part::pools));
    return made != nullptr ? made->pool.get() : nullptr;
}

} // namespace detail

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

Pool Device::pool() const noexcept {
    return Pool(*state_);
}

} // namespace ferry
