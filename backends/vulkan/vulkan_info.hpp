// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_spirv/emit.hpp"
#include "vulkan_api.hpp"

#include <ferry/device.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace ferry::vulkan {

/// Bytes of push constants that a launch uses at most.
inline constexpr std::uint32_t most_push_bytes = 256;

/// The device and driver whose data a VkPipelineCache has.
struct PipelineCacheOwner {
    std::uint32_t vendor = 0;
    std::uint32_t device = 0;
    std::array<std::uint8_t, 16> uuid{};
};

/// VK_BUFFER_USAGE_... of all buffers.
inline constexpr std::uint32_t buffer_usage = static_cast<std::uint32_t>(
    constant::copy_source | constant::copy_target | constant::storage | constant::addressable);

/// Properties of a device that Ferry's own code needs beyond DeviceInfo.
struct Traits {
    PhysicalDeviceMemoryProperties memory;
    std::uint32_t family = 0;      ///< The queue family that Ferry uses.
    std::uint32_t queue_count = 1; ///< VkQueues of it.
    std::uint32_t timestamp_bits = 0;
    double timestamp_ns = 1; ///< Nanoseconds of one step.
    std::uint32_t max_push_bytes = 0;
    std::array<std::uint32_t, 3> max_groups{}; ///< Of one dispatch.
    std::uint64_t import_alignment = 0;        ///< Bytes. 0: no imports.
    bool has_budget = false;                   ///< VK_EXT_memory_budget.
    PipelineCacheOwner cache_owner;
    std::array<unsigned char, 16> uuid{}; ///< deviceUUID. Names the build for Mesa's lavapipe.
    /// VK_EXTERNAL_MEMORY_FEATURE_... of opaque file descriptors. 0: the driver lacks
    /// VK_KHR_external_memory_fd.
    std::uint32_t external_memory = 0;
    // Features that are enabled.
    bool fp64 = false, fp16 = false, int8 = false, int16 = false;
    bool storage_8 = false, storage_16 = false, push_constant_8 = false, push_constant_16 = false;
    bool buffer_atomics_64 = false, local_atomics_64 = false, scalar_layout = false, sub_group_types = false;
    bool variable_pointers = false, memory_model = false;
    emit_spirv::VulkanTarget target;

    /// The memory of the device and of the host are the same chips.
    bool unified = false;
};

/// The reason why Ferry cannot use a device, as a full sentence. Empty if it can.
std::string refusal(const InstanceApi& api, PhysicalDevice device);

/// Reads everything, without creating a device.
Traits read_traits(const InstanceApi& api, PhysicalDevice device);
/// All but DeviceInfo::index.
DeviceInfo read_info(const InstanceApi& api, PhysicalDevice device, const Traits& traits);

} // namespace ferry::vulkan
