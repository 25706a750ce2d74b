// SPDX-License-Identifier: Apache-2.0
#include "vulkan_staging.hpp"

#include "vulkan_device.hpp"
#include "vulkan_memory.hpp"

#include <algorithm>

namespace ferry::vulkan {

backend::Place Piece::place() const noexcept {
    return {memory, offset};
}

Staging::Staging(VulkanDevice& device) : device_(device) {}

Staging::~Staging() = default;

Piece Staging::take(std::size_t least, std::size_t most, std::size_t alignment) noexcept {
    const std::size_t start = (used_ + alignment - 1) / alignment * alignment;
    if (count_ == 0 || start >= block_bytes || block_bytes - start < least) {
        return {};
    }
    const std::size_t bytes = std::min(most, block_bytes - start);
    used_ = start + bytes;
    VulkanMemory& memory = *blocks_[current_].memory;
    return {&memory, start, static_cast<std::byte*>(memory.host) + start, memory.address + start, bytes};
}

// The new block follows the present one, so that the oldest stays the next of the last.
std::size_t Staging::add() {
    std::unique_ptr<VulkanMemory> memory = allocate_staging(device_, block_bytes);
    const std::size_t index = count_ == 0 ? 0 : current_ + 1;
    std::move_backward(blocks_.begin() + static_cast<std::ptrdiff_t>(index),
                       blocks_.begin() + static_cast<std::ptrdiff_t>(count_),
                       blocks_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
    blocks_[index].memory = std::move(memory);
    blocks_[index].value = 0;
    ++count_;
    return index;
}

} // namespace ferry::vulkan
