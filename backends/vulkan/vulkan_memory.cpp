// SPDX-License-Identifier: Apache-2.0
#include "vulkan_memory.hpp"

#include "system/pages.hpp"
#include "vulkan_device.hpp"
#include "vulkan_memory_types.hpp"

#include <string>

namespace ferry::vulkan {
namespace {

namespace c = constant;

/// Kernels may load a vector of 16 bytes that ends after the last byte.
constexpr std::size_t size_step = 16;

int type_for(const VulkanDevice& device, MemoryKind kind, std::uint32_t allowed) {
    const int type = memory_type(device.traits(), kind, allowed);
    if (type < 0) {
        throw Error(Code::unsupported, "The driver of " + device.info().name +
                                           " gives buffers no memory of kind " +
                                           std::string(to_string(kind)));
    }
    return type;
}

std::unique_ptr<VulkanMemory> allocate_mapped(VulkanDevice& device, MemoryKind kind, std::size_t bytes,
                                              bool for_program) {
    auto memory = std::make_unique<VulkanMemory>(device);
    memory->create_buffer(padded(bytes));
    const MemoryRequirements needs = memory->requirements();
    const int type = type_for(device, kind, needs.types);
    memory->allocate(needs.bytes, type, nullptr);
    if (kind != MemoryKind::device) {
        memory->map(for_program);
    } else if (device.traits().unified && is_host_cached(device.traits(), type)) {
        memory->map(false);
    }
    return memory;
}

} // namespace

std::size_t padded(std::size_t bytes) noexcept {
    return (bytes + size_step - 1) / size_step * size_step;
}

VulkanMemory::VulkanMemory(VulkanMemory& whole, std::size_t offset)
    : device_(whole.device_),
      buffer_(whole.buffer_),
      origin_(whole.origin_ + offset),
      mapped_(whole.mapped_ != nullptr ? whole.mapped_ + offset : nullptr) {
    host = whole.host != nullptr ? static_cast<std::byte*>(whole.host) + offset : nullptr;
    address = whole.address + offset;
    handle = whole.handle;
    handle_offset = static_cast<std::size_t>(origin_);
    allocation = whole.allocation;
}

VulkanMemory::~VulkanMemory() {
    if (announced_) {
        device_.host_ranges().remove(*this);
    }
    if (!owns_ || backend::process_is_exiting()) {
        return;
    }
    const DeviceApi& api = device_.api();
    if (buffer_ != nullptr) {
        api.vkDestroyBuffer.function(device_.device(), buffer_, nullptr);
    }
    if (memory_ != nullptr) {
        api.vkFreeMemory.function(device_.device(), memory_, nullptr);
    }
}

void VulkanMemory::create_buffer(std::size_t bytes, std::int32_t external_type) {
    ExternalMemoryBufferCreateInfo external;
    external.handle_types = static_cast<std::uint32_t>(external_type);
    BufferCreateInfo info;
    info.next = external_type != 0 ? &external : nullptr;
    info.bytes = bytes;
    info.usage = buffer_usage;
    owns_ = true;
    vulkan::Device on = device_.device();
    call(device_.api().vkCreateBuffer, on, &info, nullptr, &buffer_);
    handle = made("vkCreateBuffer", buffer_);
}

MemoryRequirements VulkanMemory::requirements() const {
    MemoryRequirements needs;
    device_.api().vkGetBufferMemoryRequirements.function(device_.device(), buffer_, &needs);
    backend::plausible(Backend::vulkan, "vkGetBufferMemoryRequirements", "bytes of memory", needs.bytes, 1,
                       backend::most_memory);
    return needs;
}

void VulkanMemory::allocate(std::uint64_t bytes, int type, const void* chain) {
    MemoryAllocateFlagsInfo flags;
    flags.next = chain;
    flags.flags = c::allocate_address;
    MemoryAllocateInfo info;
    info.next = &flags;
    info.bytes = bytes;
    info.memory_type = static_cast<std::uint32_t>(type);
    const DeviceApi& api = device_.api();
    call(api.vkAllocateMemory, device_.device(), &info, nullptr, &memory_);
    allocation = made("vkAllocateMemory", memory_);
    call(api.vkBindBufferMemory, device_.device(), buffer_, memory_, std::uint64_t{0});
    set_address();
    backend::check_address(Backend::vulkan, api.vkGetBufferDeviceAddress.name,
                           static_cast<std::uintptr_t>(address));
}

void VulkanMemory::set_address() {
    BufferDeviceAddressInfo info;
    info.buffer = buffer_;
    address = device_.api().vkGetBufferDeviceAddress(device_.device(), &info);
}

void VulkanMemory::map(bool for_program) {
    void* start = nullptr;
    call(device_.api().vkMapMemory, device_.device(), memory_, std::uint64_t{0}, c::whole_size, 0U, &start);
    mapped_ = static_cast<std::byte*>(start);
    backend::check_address(Backend::vulkan, "vkMapMemory", reinterpret_cast<std::uintptr_t>(start));
    host = for_program ? start : nullptr;
}

void VulkanMemory::set_imported(void* data, std::size_t bytes, std::size_t origin) {
    host = data;
    mapped_ = static_cast<std::byte*>(data);
    origin_ = origin;
    handle_offset = origin;
    address += origin;
    announce(bytes, true);
}

void VulkanMemory::set_native(Buffer buffer, DeviceMemory memory, std::size_t bytes,
                              backend::Ownership ownership) {
    buffer_ = buffer;
    handle = buffer;
    allocation = memory;
    // They are at least as large as the buffer, whose own size Vulkan does not report.
    if (const std::uint64_t all = requirements().bytes; bytes > all) {
        throw Error(Code::out_of_range, "The VkBuffer has at most " + std::to_string(all) +
                                            " bytes, too few for a buffer of " + std::to_string(bytes) +
                                            " bytes");
    }
    set_address();
    memory_ = memory;
    owns_ = ownership == backend::Ownership::adopted;
}

void VulkanMemory::announce(std::size_t bytes, bool imported) {
    device_.host_ranges().add(host, bytes, *this, imported);
    announced_ = true;
}

std::unique_ptr<VulkanMemory> allocate_memory(VulkanDevice& device, MemoryKind kind, std::size_t bytes) {
    std::unique_ptr<VulkanMemory> memory = allocate_mapped(device, kind, bytes, true);
    if (memory->host != nullptr) {
        memory->announce(bytes, false);
    }
    return memory;
}

std::unique_ptr<VulkanMemory> allocate_staging(VulkanDevice& device, std::size_t bytes) {
    std::unique_ptr<VulkanMemory> memory = allocate_mapped(device, MemoryKind::host, bytes, true);
    return memory;
}

std::unique_ptr<VulkanMemory> import_memory(VulkanDevice& device, void* data, std::size_t bytes,
                                            bool read_only, std::string& why) {
    const std::size_t alignment = device.traits().import_alignment;
    if (alignment == 0) {
        why = "its driver lacks VK_EXT_external_memory_host";
        return nullptr;
    }
    const auto start = reinterpret_cast<std::uintptr_t>(data);
    // Other bytes of the first and the last page are mapped too, but not those of the next page.
    if (alignment > ferry::detail::page_size() && (start % alignment != 0 || bytes % alignment != 0)) {
        why = "its driver imports memory in units of " + std::to_string(alignment) +
              " bytes (minImportedHostPointerAlignment)";
        return nullptr;
    }
    const std::uintptr_t first = start / alignment * alignment;
    const std::size_t extent = (start + bytes - first + alignment - 1) / alignment * alignment;
    auto* const pages = reinterpret_cast<void*>(first); // NOLINT(performance-no-int-to-ptr)
    vulkan::Device on = device.device();
    const DeviceApi& api = device.api();
    const auto refused = [&](const char* name, Result result) {
        why = (read_only ? "its driver refused the read-only memory: " : "") + call_text(name, result);
        return nullptr;
    };
    if (!api.vkGetMemoryHostPointerPropertiesEXT) {
        why = "its driver lacks vkGetMemoryHostPointerPropertiesEXT";
        return nullptr;
    }
    MemoryHostPointerPropertiesEXT properties;
    if (const Result result =
            api.vkGetMemoryHostPointerPropertiesEXT(on, c::external_host, pages, &properties);
        result != c::success) {
        return refused(api.vkGetMemoryHostPointerPropertiesEXT.name, result);
    }
    auto memory = std::make_unique<VulkanMemory>(device);
    memory->create_buffer(extent, c::external_host);
    const MemoryRequirements needs = memory->requirements();
    const int type = memory_type(device.traits(), MemoryKind::imported, needs.types & properties.types);
    if (needs.bytes > extent) {
        why =
            "its driver needs " + std::to_string(needs.bytes) + " bytes for these " + std::to_string(extent);
        return nullptr;
    }
    if (type < 0) {
        why = "its driver has no memory type for this memory that is HOST_VISIBLE and HOST_COHERENT";
        return nullptr;
    }
    ImportMemoryHostPointerInfoEXT import;
    import.handle_type = c::external_host;
    import.pointer = pages;
    try {
        memory->allocate(extent, type, &import);
    } catch (const Error& error) {
        if (error.code() == Code::device_lost || error.vendor() == nullptr) {
            throw;
        }
        return refused("vkAllocateMemory", static_cast<Result>(error.vendor()->code));
    }
    memory->set_imported(data, bytes, start - first);
    return memory;
}

std::unique_ptr<VulkanMemory> wrap_memory(VulkanDevice& device, const backend::NativeMemory& native,
                                          std::size_t bytes, backend::Ownership ownership) {
    device.device();
    auto memory = std::make_unique<VulkanMemory>(device);
    memory->set_native(reinterpret_cast<Buffer>(native.handle),           // NOLINT(performance-no-int-to-ptr)
                       reinterpret_cast<DeviceMemory>(native.allocation), // NOLINT(performance-no-int-to-ptr)
                       bytes, ownership);
    return memory;
}

} // namespace ferry::vulkan
