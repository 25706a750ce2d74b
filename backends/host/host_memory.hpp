// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "host_reference.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ferry::host {

/// The bytes of a Memory, owned by it and by the enqueued commands that use it, and freed by the last of
/// them. So a Memory may be destroyed on any thread at any time and never waits.
class Block {
public:
    /// Aligned to 64 bytes, large blocks to a page. Throws Error (out_of_memory).
    static Reference<Block> allocate(std::size_t bytes);
    /// Adopted memory is given to std::free().
    static Reference<Block> wrap(void* data, backend::Ownership ownership);

    std::byte* data() const noexcept { return data_; }
    /// Relaxed: whoever retains has a reference already. The last release() acquires what all others did.
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

/// All kinds of memory are the same here: the device's address is the host's.
class HostMemory final : public backend::Memory {
public:
    explicit HostMemory(Reference<Block> block, std::size_t offset = 0) noexcept;
    const Reference<Block>& block() const noexcept { return block_; }

private:
    Reference<Block> block_;
};

} // namespace ferry::host
