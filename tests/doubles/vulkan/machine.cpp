// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <iterator>

namespace vulkan_double {
namespace {

constexpr auto local = static_cast<std::uint32_t>(constant::device_local);
constexpr auto visible = static_cast<std::uint32_t>(constant::host_visible | constant::host_coherent);
constexpr auto cached = static_cast<std::uint32_t>(constant::host_cached);
constexpr auto of_device = static_cast<std::uint32_t>(constant::heap_device_local);
constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

const std::vector<Machine>& machines() {
    static const std::vector<Machine> all{
        {},
        // The order of a driver of NVIDIA's. The host sees a window of 256 MiB.
        {.name = "discrete",
         .kind = constant::device_discrete,
         .heaps = {{4096 * mib, of_device}, {8192 * mib, 0}, {256 * mib, of_device}},
         .types = {{0, 1}, {local, 0}, {visible, 1}, {visible | cached, 1}, {local | visible, 2}}},
        {.name = "resizable-bar",
         .kind = constant::device_discrete,
         .heaps = {{4096 * mib, of_device}, {8192 * mib, 0}},
         .types = {{local, 0}, {local | visible, 0}, {visible, 1}, {visible | cached, 1}}},
        {.name = "many-queues", .kind = constant::device_integrated, .queues = 16},
        {.name = "small-limits", .small_limits = true},
    };
    return all;
}

template <class T>
T* find_in_chain(const void* next, std::int32_t type) {
    for (auto* one = static_cast<const T*>(next); one != nullptr; one = static_cast<const T*>(one->next)) {
        if (one->type == type) {
            return const_cast<T*>(one); // NOLINT(cppcoreguidelines-pro-type-const-cast)
        }
    }
    return nullptr;
}

void limit(std::uint32_t& value, std::uint32_t most) {
    value = std::min(value, most);
}

void change(PhysicalDeviceProperties& properties) {
    properties.kind = machine().kind;
    if (!machine().small_limits) {
        return;
    }
    PhysicalDeviceLimits& limits = properties.limits;
    limit(limits.ranges[1], 1U << 27U); // maxStorageBufferRange
    limit(limits.max_push_bytes, 128);
    limit(limits.max_local_memory, 16384);
    limit(limits.max_group_size, 128);
    for (std::size_t i = 0; i < 3; ++i) {
        limit(limits.max_groups[i], small_groups);
        limit(limits.max_local[i], i < 2 ? 128 : 64);
    }
}

void get_properties(PhysicalDevice device, PhysicalDeviceProperties* properties) {
    real().vkGetPhysicalDeviceProperties(device, properties);
    change(*properties);
}

void get_properties2(PhysicalDevice device, PhysicalDeviceProperties2* properties) {
    real().vkGetPhysicalDeviceProperties2(device, properties);
    change(properties->properties);
    if (!machine().small_limits) {
        return;
    }
    using V11 = PhysicalDeviceVulkan11Properties;
    if (auto* const v11 = find_in_chain<V11>(properties->next, V11{}.type)) {
        v11->max_allocation = std::min(v11->max_allocation, small_allocation);
    }
    using Maintenance4 = PhysicalDeviceMaintenance4Properties;
    if (auto* const maintenance = find_in_chain<Maintenance4>(properties->next, Maintenance4{}.type)) {
        maintenance->max_buffer = std::min(maintenance->max_buffer, small_allocation);
    }
}

void dispatch(CommandBuffer buffer, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    if (std::max({x, y, z}) > small_groups) {
        stop("a dispatch has " + std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z) +
             " groups; the limit is " + std::to_string(small_groups) + " (maxComputeWorkGroupCount)");
    }
    real().vkCmdDispatch(buffer, x, y, z);
}

Result create_buffer(Device device, const BufferCreateInfo* info, const AllocationCallbacks* callbacks,
                     Buffer* buffer) {
    if (info->bytes > small_allocation) {
        stop("a buffer has " + std::to_string(info->bytes) + " bytes; the limit is " +
             std::to_string(small_allocation) + " (maxBufferSize)");
    }
    return real().vkCreateBuffer(device, info, callbacks, buffer);
}

} // namespace

const Machine& machine() {
    static const Machine& chosen = []() -> const Machine& {
        const std::string name = setting("FERRY_DOUBLE_VULKAN_MACHINE");
        const auto found = std::find_if(machines().begin(), machines().end(),
                                        [&](const Machine& one) { return one.name == name; });
        if (found == machines().end()) {
            stop("FERRY_DOUBLE_VULKAN_MACHINE=" + name + " is no machine of its table");
        }
        return *found;
    }();
    return chosen;
}

std::span<const Override> machine_functions() {
    static const Override list[] = {
        replacing(real().vkGetPhysicalDeviceProperties, get_properties),
        replacing(real().vkGetPhysicalDeviceProperties2, get_properties2),
        replacing(real().vkCmdDispatch, dispatch),
        replacing(real().vkCreateBuffer, create_buffer),
    };
    const std::span<const Override> all(list);
    return machine().name.empty() ? all.first(0) : machine().small_limits ? all : all.first(2);
}

} // namespace vulkan_double
