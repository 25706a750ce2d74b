// SPDX-License-Identifier: Apache-2.0
#include "device/device_state.hpp"
#include "device/runtime.hpp"

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
