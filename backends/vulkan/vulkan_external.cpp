// SPDX-License-Identifier: Apache-2.0
// Memory that other APIs share, by opaque file descriptors.
#include "vulkan_device.hpp"
#include "vulkan_memory.hpp"
#include "vulkan_memory_types.hpp"

#include <utility>

namespace ferry::vulkan {
namespace {

namespace c = constant;

bool has(const VulkanDevice& device, std::int32_t feature) noexcept {
    return (device.traits().external_memory & static_cast<std::uint32_t>(feature)) != 0;
}

/// The structures that a dedicated allocation for this buffer needs, if it is one.
struct Dedicated {
    MemoryDedicatedAllocateInfo info;
    const void* chain = nullptr;

    Dedicated(bool dedicated, const VulkanMemory& memory) {
        info.buffer = memory.buffer();
        chain = dedicated ? &info : nullptr;
    }
};

} // namespace

std::unique_ptr<VulkanMemory> allocate_exportable(VulkanDevice& device, std::size_t bytes, std::string& why) {
    if (!has(device, c::external_exportable)) {
        why = "its driver exports no memory by file descriptors (VK_KHR_external_memory_fd)";
        return nullptr;
    }
    auto memory = std::make_unique<VulkanMemory>(device);
    memory->create_buffer(padded(bytes), c::external_descriptor);
    const MemoryRequirements needs = memory->requirements();
    const int type = memory_type(device.traits(), MemoryKind::device, needs.types);
    if (type < 0) {
        why = "its driver has no device memory for buffers that are exported";
        return nullptr;
    }
    const Dedicated dedicated(has(device, c::external_dedicated), *memory);
    ExportMemoryAllocateInfo exported;
    exported.next = dedicated.chain;
    exported.handle_types = c::external_descriptor;
    memory->allocate(needs.bytes, type, &exported);
    return memory;
}

backend::ExternalMemory export_memory(VulkanDevice& device, VulkanMemory& memory) {
    MemoryGetFdInfoKHR info;
    info.memory = memory.memory();
    info.handle_type = c::external_descriptor;
    int descriptor = -1;
    const DeviceApi& api = device.api();
    if (!api.vkGetMemoryFdKHR) {
        throw Error(Code::unsupported, "The driver of " + device.info().name + " lacks vkGetMemoryFdKHR");
    }
    call(api.vkGetMemoryFdKHR, device.device(), &info, &descriptor);
    return {ferry::detail::FileDescriptor(descriptor), memory.requirements().bytes,
            has(device, c::external_dedicated)};
}

std::unique_ptr<VulkanMemory> import_external(VulkanDevice& device, backend::ExternalMemory external,
                                              std::size_t bytes, std::string& why) {
    if (!has(device, c::external_importable)) {
        why = "its driver imports no memory by file descriptors (VK_KHR_external_memory_fd)";
        return nullptr;
    }
    auto memory = std::make_unique<VulkanMemory>(device);
    memory->create_buffer(padded(bytes), c::external_descriptor);
    const MemoryRequirements needs = memory->requirements();
    if (needs.bytes > external.bytes) {
        why = "its driver needs " + std::to_string(needs.bytes) + " bytes for a buffer of " +
              std::to_string(bytes) + ", but the allocation has " + std::to_string(external.bytes);
        return nullptr;
    }
    const bool is_dedicated = external.dedicated || has(device, c::external_dedicated);
    if (is_dedicated && needs.bytes != external.bytes) {
        why = "its driver shares an allocation only as a whole: " + std::to_string(external.bytes) +
              " bytes, and a buffer of " + std::to_string(bytes) + " takes " + std::to_string(needs.bytes);
        return nullptr;
    }
    // The type of the exporter: the same choice among the same types.
    const int type = memory_type(device.traits(), MemoryKind::device, needs.types);
    if (type < 0) {
        why = "its driver has no device memory for buffers that are imported";
        return nullptr;
    }
    const Dedicated dedicated(is_dedicated, *memory);
    ImportMemoryFdInfoKHR imported;
    imported.next = dedicated.chain;
    imported.handle_type = c::external_descriptor;
    imported.descriptor = external.descriptor.get();
    try {
        memory->allocate(external.bytes, type, &imported);
    } catch (const Error&) {
        if (memory->memory() != nullptr) { // A later step failed.
            static_cast<void>(external.descriptor.release());
        }
        throw;
    }
    static_cast<void>(external.descriptor.release()); // The driver owns it after success.
    return memory;
}

} // namespace ferry::vulkan
