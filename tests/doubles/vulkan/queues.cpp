// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <array>
#include <vector>

// A machine with several VkQueues in a family. All of them are the one of the driver.
namespace vulkan_double {
namespace {

struct SeveralQueues {
    Queue driver = nullptr;
};

std::array<SeveralQueues, 16> queues;

void get_families(PhysicalDevice device, std::uint32_t* count, QueueFamilyProperties* families) {
    real().vkGetPhysicalDeviceQueueFamilyProperties(device, count, families);
    for (std::uint32_t i = 0; families != nullptr && i < *count; ++i) {
        families[i].count = machine().queues;
    }
}

Result create_device(PhysicalDevice physical, const DeviceCreateInfo* info,
                     const AllocationCallbacks* callbacks, Device* device) {
    std::vector<DeviceQueueCreateInfo> given(info->queues, info->queues + info->queue_count);
    for (DeviceQueueCreateInfo& one : given) {
        if (one.count > machine().queues) {
            stop("vkCreateDevice wants " + std::to_string(one.count) + " queues of a family; it has " +
                 std::to_string(machine().queues));
        }
        one.count = 1;
    }
    DeviceCreateInfo changed = *info;
    changed.queues = given.data();
    return real().vkCreateDevice(physical, &changed, callbacks, device);
}

void get_queue(Device device, std::uint32_t family, std::uint32_t index, Queue* queue) {
    SeveralQueues& one = queues.at(index);
    real().vkGetDeviceQueue(device, family, 0, &one.driver);
    *queue = reinterpret_cast<Queue>(&one);
}

} // namespace

Queue driver_queue(Queue queue) {
    return machine().queues == 0 ? queue : reinterpret_cast<SeveralQueues*>(queue)->driver;
}

// Not of the backend's table: tests call it.
Result wait_idle(Queue queue) {
    static const auto driver =
        reinterpret_cast<Result (*)(Queue)>(real().lookup(real().instance, "vkQueueWaitIdle"));
    return driver(driver_queue(queue));
}

std::span<const Override> queue_functions() {
    static const Override list[] = {
        replacing(real().vkGetPhysicalDeviceQueueFamilyProperties, get_families),
        replacing(real().vkCreateDevice, create_device),
        replacing(real().vkGetDeviceQueue, get_queue),
        {"vkQueueWaitIdle", reinterpret_cast<VoidFunction>(wait_idle)},
    };
    return machine().queues == 0 ? std::span<const Override>() : std::span<const Override>(list);
}

} // namespace vulkan_double
