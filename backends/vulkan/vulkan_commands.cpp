// SPDX-License-Identifier: Apache-2.0
#include "vulkan_commands.hpp"

#include "vulkan_device.hpp"
#include "vulkan_memory.hpp"

namespace ferry::vulkan {

void add_barrier(const DeviceApi& api, CommandBuffer buffer, const Side& before, const Side& after) {
    MemoryBarrier barrier;
    constexpr auto writes =
        static_cast<std::uint32_t>(constant::access_write | constant::access_shader_write |
                                   constant::access_transfer_write | constant::access_host_write);
    barrier.before = before.access & writes; // Reads need only the order.
    barrier.after = after.access;
    api.vkCmdPipelineBarrier.function(buffer, before.stages, after.stages, 0, 1, &barrier, 0, nullptr, 0,
                                      nullptr);
}

void Barriers::add(const DeviceApi& api, CommandBuffer buffer, const Side& command) {
    if (is_first_) {
        add_barrier(api, buffer);
    } else {
        add_barrier(api, buffer, before_, command);
    }
    is_first_ = false;
    before_ = command;
}

void add_copies(VulkanDevice& device, Commands& to, const VulkanMemory& source, const VulkanMemory& target,
                std::span<const BufferCopy> regions) {
    std::uint64_t bytes = 0;
    for (const BufferCopy& region : regions) {
        bytes += region.bytes;
    }
    device.api().vkCmdCopyBuffer.function(to.begin_command({&device.copy_pace(), bytes, copy_work}),
                                          source.buffer(), target.buffer(),
                                          static_cast<std::uint32_t>(regions.size()), regions.data());
}

void add_copy(VulkanDevice& device, Commands& to, const backend::Place& from, const backend::Place& target,
              std::size_t bytes) {
    const VulkanMemory& source = memory_of(from);
    const VulkanMemory& end = memory_of(target);
    const BufferCopy region{source.origin() + from.offset, end.origin() + target.offset, bytes};
    add_copies(device, to, source, end, {&region, 1});
}

} // namespace ferry::vulkan
