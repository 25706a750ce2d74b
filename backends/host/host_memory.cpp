// SPDX-License-Identifier: Apache-2.0
#include "host_memory.hpp"

#include "system/machine.hpp"
#include "system/pages.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace ferry::host {
namespace {

constexpr std::size_t small_alignment = 64;
constexpr std::size_t large_block = std::size_t{1} << 20;

std::atomic<std::uint64_t> bytes_in_use{0}; // Relaxed: a sum that orders nothing.

// The kernel hands out addresses without memory, and ends the process when they are used. Requests that
// cannot be satisfied are therefore rejected here.
void check_room(std::size_t bytes, std::uint64_t in_use) {
    const std::uint64_t total = total_memory();
    std::uint64_t room = total > in_use ? total - in_use : 0;
    if (bytes >= 64 * large_block) { // Smaller ones do not justify reading /proc.
        room = std::min(room, free_memory().value_or(room));
    }
    if (bytes > room) {
        throw Error(Code::out_of_memory,
                    "An allocation of " + std::to_string(bytes) + " bytes is more than the " +
                        std::to_string(room) + " bytes that are free of the host's " + std::to_string(total) +
                        " (the machine's memory, or less where a control group limits the process)",
                    SourceLocation{});
    }
}

} // namespace

Reference<Block> Block::allocate(std::size_t bytes) {
    const std::uint64_t in_use = bytes_in_use.fetch_add(bytes, std::memory_order_relaxed);
    std::byte* data = nullptr;
    try {
        check_room(bytes, in_use);
        const std::size_t alignment = bytes >= large_block ? detail::page_size() : small_alignment;
        data = static_cast<std::byte*>(
            std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1)));
        if (data == nullptr) {
            throw Error(Code::out_of_memory,
                        "An allocation of " + std::to_string(bytes) +
                            " bytes was refused by the operating system",
                        SourceLocation{});
        }
        return Reference<Block>(new Block(data, bytes, true));
    } catch (...) {
        std::free(data);
        bytes_in_use.fetch_sub(bytes, std::memory_order_relaxed);
        throw;
    }
}

Reference<Block> Block::wrap(void* data, backend::Ownership ownership) {
    return Reference<Block>(
        new Block(static_cast<std::byte*>(data), 0, ownership == backend::Ownership::adopted));
}

Block::~Block() {
    if (owned_) {
        std::free(data_);
    }
    bytes_in_use.fetch_sub(counted_, std::memory_order_relaxed);
}

void Block::release() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete this;
    }
}

HostMemory::HostMemory(Reference<Block> block, std::size_t offset) noexcept : block_(std::move(block)) {
    host = block_->data() + offset;
    address = reinterpret_cast<std::uintptr_t>(host);
}

} // namespace ferry::host
