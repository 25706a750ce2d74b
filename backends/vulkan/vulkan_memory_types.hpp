// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan_info.hpp"

#include <ferry/capabilities.hpp>
#include <ferry/memory.hpp>

#include <cstdint>
#include <string>

namespace ferry::vulkan {

/// The index of the memory type for allocations of this kind, among those in the mask `allowed`. -1 if there
/// is none. MemoryKind::imported: the type for memory of the caller.
int memory_type(const Traits& traits, MemoryKind kind, std::uint32_t allowed) noexcept;

/// "memory type 3: DEVICE_LOCAL | HOST_VISIBLE | HOST_COHERENT"
std::string type_text(const Traits& traits, int type);

/// Whether the host can map memory of this type, coherently and through its caches.
bool is_host_cached(const Traits& traits, int type) noexcept;

/// Bytes of the largest heap that is the device's own.
std::uint64_t device_heap_bytes(const PhysicalDeviceMemoryProperties& memory) noexcept;
/// Its index.
std::uint32_t device_heap(const PhysicalDeviceMemoryProperties& memory) noexcept;

MemoryCapabilities memory_facts(const Traits& traits, const DeviceInfo& info, MemoryKind kind);

} // namespace ferry::vulkan
