// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.hpp"

namespace ferry_double {

enum class MemoryKind { device, host, managed, registered, external };

constexpr bool is_host_memory(MemoryKind kind) {
    return kind == MemoryKind::host || kind == MemoryKind::registered;
}

struct Range {
    MemoryKind kind = MemoryKind::host;
    DeviceState* device = nullptr;
    bool known = false;    ///< it is in an allocation of the double
    bool whole = true;     ///< and does not extend past its end
    void* start = nullptr; ///< of the allocation
    std::size_t bytes = 0; ///< size of the whole allocation
};

/// Returns a HIP code. Device memory is filled with 0xCD and has guards on both sides.
int allocate(MemoryKind kind, DeviceState& device, std::size_t bytes, void** address);
/// Waits for the device first. Returns invalid_value if the address is not the start of such an allocation.
int release(void* address, bool host_memory);

/// Adds memory of another API to the device's. release() removes it.
int add_external(void* address, std::size_t bytes, DeviceState& device);

/// Registers the caller's pages. They must be whole and not yet registered (HIP's library checks less).
int register_pages(void* address, std::size_t bytes, DeviceState& device);
int unregister_pages(void* address);

/// The number of the registration that contains the address, unique in the process; 0: none.
unsigned long long registration_of(const void* address);

/// Facts about [address, address + bytes).
Range find_range(const void* address, std::size_t bytes);
/// invalid_value, counted as wild, unless the range is within memory that the device can access.
int check_device_range(const void* address, std::size_t bytes);
/// invalid_value, counted as wild, if the range begins in an allocation and extends past its end.
int check_any_range(const void* address, std::size_t bytes);

/// Copies and fills that AddressSanitizer does not see, because device memory is poisoned for the host's
/// code.
void copy_bytes(void* to, const void* from, std::size_t bytes);
void fill_bytes(void* to, const void* pattern, std::size_t size, std::size_t count);

struct MemoryCounts {
    unsigned long long allocations, bytes, overruns, wild;
};
MemoryCounts memory_counts();

} // namespace ferry_double
