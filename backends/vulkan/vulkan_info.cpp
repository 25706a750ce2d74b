// SPDX-License-Identifier: Apache-2.0
#include "vulkan_info.hpp"

#include "base/uuid_text.hpp"
#include "vulkan_memory_types.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace ferry::vulkan {
namespace {

namespace c = constant;

/// A text that the driver must end with a zero byte, and may not.
template <std::size_t N>
std::string text_of(const char (&bytes)[N]) {
    return {bytes, std::find(bytes, bytes + N, '\0')};
}

class Extensions {
public:
    Extensions(const InstanceApi& api, PhysicalDevice device) {
        std::uint32_t count = 0;
        check(api.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr),
              "vkEnumerateDeviceExtensionProperties");
        list_.resize(backend::plausible(Backend::vulkan, "vkEnumerateDeviceExtensionProperties", "extensions",
                                        count, 0, 65536));
        check(api.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, list_.data()),
              "vkEnumerateDeviceExtensionProperties");
        list_.resize(std::min<std::size_t>(count, list_.size()));
    }
    bool has(std::string_view name) const {
        return std::any_of(list_.begin(), list_.end(),
                           [&](const ExtensionProperties& one) { return text_of(one.name) == name; });
    }

private:
    std::vector<ExtensionProperties> list_;
};

std::vector<QueueFamilyProperties> families_of(const InstanceApi& api, PhysicalDevice device) {
    std::uint32_t count = 0;
    api.vkGetPhysicalDeviceQueueFamilyProperties.function(device, &count, nullptr);
    std::vector<QueueFamilyProperties> families(backend::plausible(
        Backend::vulkan, "vkGetPhysicalDeviceQueueFamilyProperties", "queue families", count, 0, 1024));
    api.vkGetPhysicalDeviceQueueFamilyProperties.function(device, &count, families.data());
    return families;
}

/// The features that Ferry requires or enables.
struct Features {
    PhysicalDeviceFeatures2 base;
    PhysicalDeviceVulkan11Features v11;
    PhysicalDeviceVulkan12Features v12;

    Features(const InstanceApi& api, PhysicalDevice device) {
        base.next = &v11;
        v11.next = &v12;
        api.vkGetPhysicalDeviceFeatures2.function(device, &base);
    }
};

PhysicalDeviceProperties properties_of(const InstanceApi& api, PhysicalDevice device) {
    PhysicalDeviceProperties properties;
    api.vkGetPhysicalDeviceProperties.function(device, &properties);
    return properties;
}

/// Fills one structure that extends the properties.
template <class P>
P extended(const InstanceApi& api, PhysicalDevice device) {
    P result;
    PhysicalDeviceProperties2 properties;
    properties.next = &result;
    api.vkGetPhysicalDeviceProperties2.function(device, &properties);
    return result;
}

/// A family that computes. One that does graphics too is preferred: it accesses memory of every kind at full
/// speed on each known driver, and has the most queues.
std::int64_t compute_family(const std::vector<QueueFamilyProperties>& families) {
    std::int64_t best = -1;
    for (std::size_t i = 0; i < families.size(); ++i) {
        const auto has = [&](std::int32_t bit) {
            return (families[i].flags & static_cast<std::uint32_t>(bit)) != 0;
        };
        if (!has(c::queue_compute) || families[i].count == 0) {
            continue;
        }
        if (best < 0 || has(c::queue_graphics)) {
            best = static_cast<std::int64_t>(i);
            if (has(c::queue_graphics)) {
                break;
            }
        }
    }
    return best;
}

std::string vendor_name(std::uint32_t id) {
    switch (id) {
    case 0x1002:
        return "AMD";
    case 0x1010:
        return "Imagination Technologies";
    case 0x106B:
        return "Apple";
    case 0x10DE:
        return "NVIDIA Corporation";
    case 0x13B5:
        return "Arm";
    case 0x14E4:
        return "Broadcom";
    case 0x5143:
        return "Qualcomm";
    case 0x8086:
        return "Intel Corporation";
    case 0x10005:
        return "Mesa";
    default: {
        char text[32];
        std::snprintf(text, sizeof text, "PCI vendor 0x%04x", id);
        return text;
    }
    }
}

DeviceKind kind_of(std::int32_t type) {
    return type == c::device_cpu     ? DeviceKind::cpu
           : type == c::device_other ? DeviceKind::accelerator
                                     : DeviceKind::gpu;
}

/// Extensions of two vendors report it. A processor's driver uses all of the machine's. 0: not known.
std::uint32_t compute_units(const InstanceApi& api, PhysicalDevice device, const Extensions& extensions,
                            DeviceKind kind) {
    if (extensions.has("VK_NV_shader_sm_builtins")) {
        return extended<PhysicalDeviceShaderSMBuiltinsPropertiesNV>(api, device).units;
    }
    if (extensions.has("VK_AMD_shader_core_properties")) {
        const auto core = extended<PhysicalDeviceShaderCorePropertiesAMD>(api, device);
        return core.engines * core.arrays * core.units;
    }
    return kind == DeviceKind::cpu ? std::thread::hardware_concurrency() : 0;
}

void read_limits(const PhysicalDeviceProperties& properties, DeviceInfo& info) {
    const PhysicalDeviceLimits& limits = properties.limits;
    info.max_group_size = backend::plausible(Backend::vulkan, "vkGetPhysicalDeviceProperties",
                                             "work-items of the largest group", limits.max_group_size, 1,
                                             backend::most_group_items);
    info.local_memory = limits.max_local_memory;
    for (std::size_t i = 0; i < 3; ++i) {
        info.max_local[i] = backend::plausible(Backend::vulkan, "vkGetPhysicalDeviceProperties",
                                               "work-items of a group in one dimension", limits.max_local[i],
                                               1, std::numeric_limits<std::uint32_t>::max());
    }
    // Larger launches are divided. The kernel counts groups in 32 bits, and the product must fit in 64 bits.
    info.max_groups = {std::numeric_limits<std::uint32_t>::max(), 65535, 65535};
    info.max_argument_bytes = 4096; // Beyond the push constants, they are in a block of memory.
}

/// The promises of a device. One that is tied to the same behaviour of the other widths is used if all widths
/// have it.
emit_spirv::FloatControls float_controls(const PhysicalDeviceFloatControlsProperties& has) {
    const auto both = [](const std::uint32_t(&promises)[3]) { return promises[1] != 0 && promises[2] != 0; };
    const bool subnormal = has.subnormal_independence != c::independent_none || both(has.subnormal);
    const bool nearest = has.rounding_independence != c::independent_none || both(has.nearest);
    const auto width = [&](std::size_t i) {
        return emit_spirv::FloatControls::Width{has.special[i] != 0, subnormal && has.subnormal[i] != 0,
                                                nearest && has.nearest[i] != 0};
    };
    return {width(1), width(2)};
}

} // namespace

std::string refusal(const InstanceApi& api, PhysicalDevice device) {
    const PhysicalDeviceProperties properties = properties_of(api, device);
    const std::string start = "The device " + text_of(properties.name) + " ";
    if (properties.api_version < version_1_2) {
        return start + "has Vulkan " + version_text(properties.api_version) +
               "; Ferry needs Vulkan 1.2 or later; a newer driver may have it";
    }
    const Features features(api, device);
    const auto lacks = [&](const char* feature) {
        return start + "lacks the feature " + feature + " of Vulkan, which Ferry needs";
    };
    if (features.v12.addresses == 0) {
        return lacks("bufferDeviceAddress");
    }
    if (features.v12.timelines == 0) {
        return lacks("timelineSemaphore");
    }
    if (features.base.features.int64 == 0) {
        return lacks("shaderInt64");
    }
    if (compute_family(families_of(api, device)) < 0) {
        return start + "has no queue family that computes (VK_QUEUE_COMPUTE_BIT)";
    }
    return {};
}

Traits read_traits(const InstanceApi& api, PhysicalDevice device) {
    Traits traits;
    const PhysicalDeviceProperties properties = properties_of(api, device);
    const PhysicalDeviceLimits& limits = properties.limits;
    const Extensions extensions(api, device);
    const std::vector<QueueFamilyProperties> families = families_of(api, device);
    traits.family = static_cast<std::uint32_t>(compute_family(families));
    traits.queue_count = std::clamp(families[traits.family].count, 1U, 16U);
    traits.timestamp_bits = std::min(families[traits.family].timestamp_bits, 64U);
    traits.timestamp_ns = static_cast<double>(limits.timestamp_period);
    traits.max_push_bytes = std::clamp(limits.max_push_bytes, 128U, most_push_bytes);
    std::copy(std::begin(limits.max_groups), std::end(limits.max_groups), traits.max_groups.begin());
    for (std::uint32_t& most : traits.max_groups) {
        most = std::max(most, 1U);
    }
    traits.cache_owner.vendor = properties.vendor;
    traits.cache_owner.device = properties.device;
    std::copy(std::begin(properties.cache_uuid), std::end(properties.cache_uuid),
              traits.cache_owner.uuid.begin());
    PhysicalDeviceMemoryProperties2 memory;
    api.vkGetPhysicalDeviceMemoryProperties2.function(device, &memory);
    traits.memory = memory.memory;
    traits.memory.type_count = std::min(traits.memory.type_count, 32U);
    traits.memory.heap_count = std::min(traits.memory.heap_count, 16U);
    traits.unified = properties.kind == c::device_cpu || properties.kind == c::device_integrated;
    traits.has_budget = extensions.has("VK_EXT_memory_budget");
    if (extensions.has("VK_EXT_external_memory_host")) {
        traits.import_alignment = backend::plausible_alignment(
            Backend::vulkan, "vkGetPhysicalDeviceProperties2", "as alignment of imported memory",
            extended<PhysicalDeviceExternalMemoryHostPropertiesEXT>(api, device).alignment);
    }
    if (extensions.has("VK_KHR_external_memory_fd")) {
        PhysicalDeviceExternalBufferInfo buffer;
        buffer.usage = buffer_usage;
        buffer.handle_type = c::external_descriptor;
        ExternalBufferProperties external;
        api.vkGetPhysicalDeviceExternalBufferProperties.function(device, &buffer, &external);
        traits.external_memory = external.memory.features;
    }
    const auto v11 = extended<PhysicalDeviceVulkan11Properties>(api, device);
    std::copy(std::begin(v11.uuid), std::end(v11.uuid), traits.uuid.begin());
    traits.target.floats = float_controls(extended<PhysicalDeviceFloatControlsProperties>(api, device));
    const auto driver = extended<PhysicalDeviceDriverProperties>(api, device);
    traits.target.hides_extension = text_of(driver.info).find("Mesa") != std::string::npos;
    traits.target.hides_limits = driver.id == c::driver_nvidia;
    traits.target.doubles_ends = driver.id == c::driver_llvmpipe;
    const Features features(api, device);
    traits.fp64 = features.base.features.fp64 != 0;
    traits.int16 = features.base.features.int16 != 0;
    traits.storage_16 = features.v11.storage_16 != 0;
    traits.push_constant_16 = features.v11.push_constant_16 != 0;
    traits.variable_pointers =
        features.v11.variable_pointers[0] != 0 && features.v11.variable_pointers[1] != 0;
    traits.storage_8 = features.v12.storage_8 != 0;
    traits.push_constant_8 = features.v12.push_constant_8 != 0;
    traits.buffer_atomics_64 = features.v12.buffer_atomics_64 != 0;
    traits.local_atomics_64 = features.v12.local_atomics_64 != 0;
    traits.fp16 = features.v12.fp16 != 0;
    traits.int8 = features.v12.int8 != 0;
    traits.scalar_layout = features.v12.scalar_layout != 0;
    traits.sub_group_types = features.v12.sub_group_types != 0;
    traits.memory_model = features.v12.memory_model != 0 && features.v12.memory_model_device != 0;
    return traits;
}

DeviceInfo read_info(const InstanceApi& api, PhysicalDevice device, const Traits& traits) {
    const Extensions extensions(api, device);
    const PhysicalDeviceProperties properties = properties_of(api, device);
    const auto v11 = extended<PhysicalDeviceVulkan11Properties>(api, device);
    const auto driver = extended<PhysicalDeviceDriverProperties>(api, device); // In Vulkan 1.2's core.
    DeviceInfo info;
    info.backend = Backend::vulkan;
    info.name = text_of(properties.name);
    info.vendor = vendor_name(properties.vendor);
    info.platform = text_of(driver.name);
    info.driver_version = text_of(driver.info);
    if (info.driver_version.empty()) {
        info.driver_version = std::to_string(properties.driver_version);
    }
    info.api_version = "Vulkan " + version_text(properties.api_version);
    info.kind = kind_of(properties.kind);
    if (properties.kind == c::device_discrete || traits.unified) {
        info.integrated = traits.unified;
    }
    read_limits(properties, info);
    info.compute_units = compute_units(api, device, extensions, info.kind);
    info.total_memory =
        backend::plausible(Backend::vulkan, "vkGetPhysicalDeviceMemoryProperties2", "bytes of memory",
                           device_heap_bytes(traits.memory), 1, backend::most_memory);
    info.max_allocation = v11.max_allocation;
    if (extensions.has("VK_KHR_maintenance4") || properties.api_version >= (1U << 22U | 3U << 12U)) {
        const auto limits = extended<PhysicalDeviceMaintenance4Properties>(api, device);
        if (limits.max_buffer != 0) {
            info.max_allocation = std::min(info.max_allocation, limits.max_buffer);
        }
    }
    info.max_allocation =
        backend::plausible(Backend::vulkan, "vkGetPhysicalDeviceProperties2", "bytes of one allocation",
                           std::min(info.max_allocation, info.total_memory), 1, backend::most_memory);
    info.sub_group_width = static_cast<std::uint32_t>(
        backend::plausible_alignment(Backend::vulkan, "vkGetPhysicalDeviceProperties2",
                                     "as work-items of a sub-group", v11.sub_group_size));
    info.fp64 = traits.fp64;
    info.fp16 = traits.fp16 && traits.storage_16;
    info.int64_atomics = traits.buffer_atomics_64;
    info.timing = traits.timestamp_bits != 0 && traits.timestamp_ns > 0;
    info.queue_priority = traits.queue_count >= 3; // The last two have a high and a low one.
    info.compiles = true;
    info.compile_note = "Ferry's own compiler for OpenCL C, and the driver's for SPIR-V";
    info.host_memory = memory_type(traits, MemoryKind::host, ~0U) >= 0;
    info.shared_memory = memory_type(traits, MemoryKind::shared, ~0U) >= 0;
    if (extensions.has("VK_EXT_pci_bus_info")) {
        const auto pci = extended<PhysicalDevicePCIBusInfoPropertiesEXT>(api, device);
        char text[64];
        std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", pci.domain, pci.bus, pci.device, pci.function);
        info.pci_address = text;
    }
    if (properties.kind != c::device_cpu) { // lavapipe's names the build of Mesa.
        info.uuid = ferry::detail::uuid_text(traits.uuid);
    }
    return info;
}

} // namespace ferry::vulkan
