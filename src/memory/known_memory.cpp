// SPDX-License-Identifier: Apache-2.0
#include "memory/known_memory.hpp"

#include "base/no_destructor.hpp"
#include "base/process_exit.hpp"
#include "device/device_state.hpp"

#include <iterator>
#include <mutex>

namespace ferry::detail::staging {

KnownMemory& KnownMemory::get() {
    static NoDestructor<KnownMemory> memory;
    return *memory;
}

void KnownMemory::add(const DeviceState& device, const void* host, std::size_t bytes) {
    if (host == nullptr || device.info().backend == Backend::host) { // the host's buffers are ordinary memory
        return;
    }
    const std::lock_guard lock(mutex_);
    ranges_[reinterpret_cast<std::uintptr_t>(host)] = {&device, bytes};
}

void KnownMemory::remove(const void* host) noexcept {
    const std::lock_guard lock(mutex_);
    ranges_.erase(reinterpret_cast<std::uintptr_t>(host));
}

bool KnownMemory::holds(const DeviceState& device, const void* host, std::size_t bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(host);
    const std::shared_lock lock(mutex_);
    const auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) {
        return false;
    }
    const auto& [start, range] = *std::prev(after);
    // An OpenCL device is a context of its own; CUDA's page-locked memory serves all devices, and so does
    // HIP's.
    const Backend backend = device.info().backend;
    const bool serves =
        range.device == &device || (backend != Backend::opencl && range.device->info().backend == backend);
    const std::size_t offset = address - start;
    return serves && offset < range.bytes && bytes <= range.bytes - offset;
}

bool is_page_locked(DeviceState& device, const void* host, std::size_t bytes) {
    if (KnownMemory::get().holds(device, host, bytes)) {
        return true;
    }
    const VendorCall call;
    backend::Device& native = device.native();
    return call.allowed() && native.is_page_locked(host) &&
           native.is_page_locked(static_cast<const std::byte*>(host) + bytes - 1);
}

} // namespace ferry::detail::staging
