// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "host_reference.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ferry::host {

/// The bytes of a Memory. The Memory and the enqueued commands that use it own them, and the last owner frees
/// them. A Memory may therefore be destroyed on any thread at any time without waiting.
class Block {
public:
    /// Aligned to 64 bytes, large blocks to a page. Throws Error (out_of_memory).
    static Reference<Block> allocate(std::size_t bytes);
    /// Adopted memory is freed with std::free().
    static Reference<Block> wrap(void* data, backend::Ownership ownership);

    std::byte* data() const noexcept { return data_; }
    /// Relaxed, because a caller of retain() already has a reference. The last release() acquires the writes
    /// of all others.
    void retain() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept;

private:
    Block(std::byte* data, std::size_t counted, bool owned) noexcept
        : data_(data), counted_(counted), owned_(owned) {}
    ~Block();

    std::byte* const data_;
    const std::size_t counted_;
    const bool owned_;
    std::atomic<std::uint32_t> owners_{1};
};

/// All memory kinds are the same here: the device address is the host address.
class HostMemory final : public backend::Memory {
public:
    explicit HostMemory(Reference<Block> block, std::size_t offset = 0) noexcept;
    const Reference<Block>& block() const noexcept { return block_; }

private:
    Reference<Block> block_;
};

} // namespace ferry::host
