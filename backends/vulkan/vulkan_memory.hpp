// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "vulkan_types.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace ferry::vulkan {

class VulkanDevice;

/// A buffer with memory of its own, or a part of one. Memory::address is the address for kernels, and
/// Memory::handle the VkBuffer, in which the memory starts at origin().
class VulkanMemory final : public backend::Memory {
public:
    explicit VulkanMemory(VulkanDevice& device) : device_(device) {}
    /// A part, which owns nothing.
    VulkanMemory(VulkanMemory& whole, std::size_t offset);
    ~VulkanMemory() override;

    Buffer buffer() const noexcept { return buffer_; }
    DeviceMemory memory() const noexcept { return memory_; }
    std::uint64_t origin() const noexcept { return origin_; }
    /// The host address, also of memory that the program may not access itself. Null if there is none.
    std::byte* mapped() const noexcept { return mapped_; }

    // The steps of making one. What the driver has made is released by the destructor.
    /// `external_type`: VK_EXTERNAL_MEMORY_HANDLE_TYPE_... of its memory, or 0.
    void create_buffer(std::size_t bytes, std::int32_t external_type = 0);
    MemoryRequirements requirements() const;
    /// `chain`: structures that extend the allocation.
    void allocate(std::uint64_t bytes, int type, const void* chain);
    void map(bool for_program);
    void set_imported(void* data, std::size_t bytes, std::size_t origin);
    /// Objects of other code. Throws Error (out_of_range) if the buffer is too small.
    void set_native(Buffer buffer, DeviceMemory memory, std::size_t bytes, backend::Ownership ownership);
    /// Copies of the program's ranges in it need no staging.
    void announce(std::size_t bytes, bool imported);

private:
    void set_address();

    VulkanDevice& device_;
    Buffer buffer_ = nullptr;
    DeviceMemory memory_ = nullptr;
    std::uint64_t origin_ = 0;
    std::byte* mapped_ = nullptr;
    bool owns_ = false;
    bool announced_ = false;
};

inline VulkanMemory& memory_of(const backend::Place& place) noexcept {
    return static_cast<VulkanMemory&>(*place.memory);
}

/// The size of a VkBuffer for so many bytes.
std::size_t padded(std::size_t bytes) noexcept;

std::unique_ptr<VulkanMemory> allocate_memory(VulkanDevice& device, MemoryKind kind, std::size_t bytes);
/// Host memory that the program does not know.
std::unique_ptr<VulkanMemory> allocate_staging(VulkanDevice& device, std::size_t bytes);
/// Null, with the reason as a clause, if the device cannot use it.
std::unique_ptr<VulkanMemory> import_memory(VulkanDevice& device, void* data, std::size_t bytes,
                                            bool read_only, std::string& why);
/// `native`: a VkBuffer of the device's VkDevice, and its VkDeviceMemory if it is adopted.
std::unique_ptr<VulkanMemory> wrap_memory(VulkanDevice& device, const backend::NativeMemory& native,
                                          std::size_t bytes, backend::Ownership ownership);

// vulkan_external.cpp. They return null, with the reason as a clause, if the driver cannot do it.
std::unique_ptr<VulkanMemory> allocate_exportable(VulkanDevice& device, std::size_t bytes, std::string& why);
backend::ExternalMemory export_memory(VulkanDevice& device, VulkanMemory& memory);
std::unique_ptr<VulkanMemory> import_external(VulkanDevice& device, backend::ExternalMemory external,
                                              std::size_t bytes, std::string& why);

} // namespace ferry::vulkan
