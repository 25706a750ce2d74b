// SPDX-License-Identifier: Apache-2.0
#include "forward.hpp"

// Errors for the proof that a validation layer is there and works.
namespace vulkan_double {
namespace {

/// Also makes a buffer of 0 bytes: VUID-VkBufferCreateInfo-size-00912.
Result create_device(PhysicalDevice physical, const DeviceCreateInfo* info,
                     const AllocationCallbacks* callbacks, Device* device) {
    const Result result = real().vkCreateDevice(physical, info, callbacks, device);
    if (result != constant::success) {
        return result;
    }
    BufferCreateInfo empty;
    empty.usage = static_cast<std::uint32_t>(constant::storage);
    Buffer buffer = nullptr;
    if (real().vkCreateBuffer(*device, &empty, callbacks, &buffer) == constant::success) {
        real().vkDestroyBuffer(*device, buffer, callbacks);
    }
    return result;
}

/// Dependent copies without a barrier: SYNC-HAZARD-...
void no_barrier(CommandBuffer, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                const MemoryBarrier*, std::uint32_t, const BufferMemoryBarrier*, std::uint32_t,
                const ImageMemoryBarrier*) {}

} // namespace

std::span<const Override> mistake_functions() {
    static const std::string mistake = setting("FERRY_DOUBLE_VULKAN_MISTAKE");
    static const Override empty_buffer[] = {replacing(real().vkCreateDevice, create_device)};
    static const Override no_barriers[] = {replacing(real().vkCmdPipelineBarrier, no_barrier)};
    if (mistake.empty()) {
        return {};
    }
    if (mistake == "empty-buffer") {
        return empty_buffer;
    }
    if (mistake == "no-barriers") {
        return no_barriers;
    }
    stop("FERRY_DOUBLE_VULKAN_MISTAKE=" + mistake + " is none of empty-buffer, no-barriers");
}

} // namespace vulkan_double
