// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

// The heaps and memory types of the machine. The driver has one type, of memory that both sides see.
namespace vulkan_double {
namespace {

struct Allocation {
    std::uint32_t type = 0;
    std::uint64_t bytes = 0;
};

std::mutex mutex;
std::map<DeviceMemory, Allocation> allocations; // Guarded by the mutex.

const MemoryType& type_of(std::uint32_t type) {
    if (type >= machine().types.size()) {
        stop("memory type " + std::to_string(type) + " does not exist");
    }
    return machine().types[type];
}

std::uint64_t used(std::uint32_t heap) {
    return std::accumulate(allocations.begin(), allocations.end(), std::uint64_t{0},
                           [&](std::uint64_t sum, const auto& one) {
                               return sum + (type_of(one.second.type).heap == heap ? one.second.bytes : 0);
                           });
}

/// The types whose flags have one of `wanted`, as bits.
std::uint32_t types_with(std::int32_t wanted) {
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < machine().types.size(); ++i) {
        if ((machine().types[i].flags & static_cast<std::uint32_t>(wanted)) != 0) {
            bits |= 1U << i;
        }
    }
    return bits;
}

void get_memory(PhysicalDevice device, PhysicalDeviceMemoryProperties2* properties) {
    real().vkGetPhysicalDeviceMemoryProperties2(device, properties);
    PhysicalDeviceMemoryProperties& memory = properties->memory;
    memory = {};
    memory.type_count = static_cast<std::uint32_t>(machine().types.size());
    memory.heap_count = static_cast<std::uint32_t>(machine().heaps.size());
    std::copy(machine().types.begin(), machine().types.end(), memory.types);
    std::copy(machine().heaps.begin(), machine().heaps.end(), memory.heaps);
    auto* const budget = static_cast<const PhysicalDeviceMemoryBudgetPropertiesEXT*>(properties->next);
    if (budget == nullptr || budget->type != PhysicalDeviceMemoryBudgetPropertiesEXT{}.type) {
        return;
    }
    auto& told = const_cast<PhysicalDeviceMemoryBudgetPropertiesEXT&>(*budget); // NOLINT(*-const-cast)
    const std::lock_guard lock(mutex);
    for (std::uint32_t i = 0; i < memory.heap_count; ++i) {
        told.budgets[i] = memory.heaps[i].bytes;
        told.usages[i] = used(i);
    }
}

/// Buffers take each type but the first, if that has no flags.
void get_requirements(Device device, Buffer buffer, MemoryRequirements* requirements) {
    real().vkGetBufferMemoryRequirements(device, buffer, requirements);
    requirements->types = types_with(constant::device_local | constant::host_visible);
}

Result get_host_pointer(Device device, ExternalHandleType type, const void* pointer,
                        MemoryHostPointerPropertiesEXT* properties) {
    const Result result = real().vkGetMemoryHostPointerPropertiesEXT(device, type, pointer, properties);
    properties->types = types_with(constant::host_visible) & ~types_with(constant::device_local);
    return result;
}

Result allocate(Device device, const MemoryAllocateInfo* info, const AllocationCallbacks* callbacks,
                DeviceMemory* memory) {
    const Allocation wanted{info->memory_type, info->bytes};
    const std::uint32_t heap = type_of(wanted.type).heap;
    const std::lock_guard lock(mutex);
    if (used(heap) + wanted.bytes > machine().heaps[heap].bytes) {
        return -2; // VK_ERROR_OUT_OF_DEVICE_MEMORY
    }
    MemoryAllocateInfo given = *info;
    given.memory_type = 0;
    const Result result = real().vkAllocateMemory(device, &given, callbacks, memory);
    if (result == constant::success) {
        allocations[*memory] = wanted;
    }
    return result;
}

void free_memory(Device device, DeviceMemory memory, const AllocationCallbacks* callbacks) {
    const std::lock_guard lock(mutex);
    allocations.erase(memory);
    real().vkFreeMemory(device, memory, callbacks);
}

Result map(Device device, DeviceMemory memory, std::uint64_t offset, std::uint64_t bytes, std::uint32_t flags,
           void** host) {
    const std::lock_guard lock(mutex);
    if ((type_of(allocations[memory].type).flags & static_cast<std::uint32_t>(constant::host_visible)) == 0) {
        stop("vkMapMemory maps memory of type " + std::to_string(allocations[memory].type) +
             ", which is not HOST_VISIBLE");
    }
    return real().vkMapMemory(device, memory, offset, bytes, flags, host);
}

} // namespace

std::span<const Override> memory_functions() {
    static const Override list[] = {
        replacing(real().vkGetPhysicalDeviceMemoryProperties2, get_memory),
        replacing(real().vkGetBufferMemoryRequirements, get_requirements),
        replacing(real().vkGetMemoryHostPointerPropertiesEXT, get_host_pointer),
        replacing(real().vkAllocateMemory, allocate),
        replacing(real().vkFreeMemory, free_memory),
        replacing(real().vkMapMemory, map),
    };
    return machine().types.empty() ? std::span<const Override>() : std::span<const Override>(list);
}

} // namespace vulkan_double
