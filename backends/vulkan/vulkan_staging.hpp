// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "vulkan_types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ferry::vulkan {

class VulkanDevice;
class VulkanMemory;

/// A range of staging memory.
struct Piece {
    VulkanMemory* memory = nullptr;
    std::size_t offset = 0;
    std::byte* host = nullptr;
    std::uint64_t address = 0;
    std::size_t bytes = 0; ///< 0: there is none.

    backend::Place place() const noexcept;
};

/// Host-visible memory of a stream for bytes on their way between the program's memory and the device, and
/// for argument lists. A ring of blocks, which are allocated when they are needed.
class Staging {
public:
    static constexpr std::size_t block_bytes = std::size_t{256} << 10;

    explicit Staging(VulkanDevice& device);
    ~Staging();

    /// `least` to `most` bytes of the present block. Piece::bytes is 0 if they are not there: call next().
    Piece take(std::size_t least, std::size_t most, std::size_t alignment) noexcept;
    /// Goes to the next block. `submitted`: the last value of the stream that uses the present one. Returns
    /// the value at which the new block is free.
    template <class Reached>
    std::uint64_t next(std::uint64_t submitted, const Reached& reached) {
        if (count_ != 0) {
            blocks_[current_].value = submitted;
            const std::size_t oldest = (current_ + 1) % count_;
            if (count_ == most_blocks || (count_ > 1 && reached(blocks_[oldest].value))) {
                return begin(oldest);
            }
        }
        return begin(add());
    }

private:
    struct Block {
        std::unique_ptr<VulkanMemory> memory;
        std::uint64_t value = 0; ///< When the device has finished with it.
    };
    static constexpr std::size_t most_blocks = 8;

    std::size_t add();
    std::uint64_t begin(std::size_t index) noexcept {
        current_ = index;
        used_ = 0;
        return blocks_[index].value;
    }

    VulkanDevice& device_;
    std::array<Block, most_blocks> blocks_;
    std::size_t count_ = 0, current_ = 0, used_ = 0;
};

} // namespace ferry::vulkan
