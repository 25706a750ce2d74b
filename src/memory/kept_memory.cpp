// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"
#include "memory/device_pool.hpp"

#include <exception>
#include <utility>

// Memory that the program may still use directly, because the driver refused to wait for the device.
namespace ferry::detail {

void DevicePool::keep(Block& block) noexcept {
    const std::lock_guard lock(mutex_);
    block.next = kept_blocks_; // Unused while the block is in no bin.
    kept_blocks_ = &block;
}

void DevicePool::keep(MemoryKind kind, std::size_t bytes, std::unique_ptr<backend::Memory> memory) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        kept_.reserve(kept_.size() + 1);
        kept_.push_back({kind, bytes, std::move(memory)});
    } catch (const std::exception&) {
        static_cast<void>(memory.release()); // Out of memory for the list.
    }
}

void DevicePool::give_kept() noexcept {
    Block* blocks = nullptr;
    std::vector<Kept> others;
    {
        const std::lock_guard lock(mutex_);
        blocks = std::exchange(kept_blocks_, nullptr);
        others.swap(kept_);
    }
    if (blocks == nullptr && others.empty()) {
        return;
    }
    const VendorCall call;
    const bool is_done = call.allowed() && device_.synchronize();
    while (blocks != nullptr) {
        Block& block = *std::exchange(blocks, blocks->next);
        block.next = nullptr;
        if (is_done) {
            give(kind_of(block), block);
        } else {
            keep(block);
        }
    }
    for (Kept& one : others) {
        if (is_done) {
            one.memory.reset();
            unreserve_direct(one.kind, one.bytes);
        } else {
            keep(one.kind, one.bytes, std::move(one.memory));
        }
    }
}

MemoryKind DevicePool::kind_of(const Block& block) const noexcept {
    std::size_t i = 0;
    while (arenas_[i].get() != block.segment->arena) {
        ++i;
    }
    return static_cast<MemoryKind>(i / 2);
}

} // namespace ferry::detail
