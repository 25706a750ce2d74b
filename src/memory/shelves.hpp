// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/arena.hpp"

#include <ferry/memory.hpp>
#include <ferry/pool.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ferry::detail {

/// The part of a pool that each thread has for itself: a few blocks, and the counts of buffers. So threads
/// that make and destroy buffers do not wait for each other. Threads share a shelf if there are more threads
/// than shelves.
class Shelves {
public:
    static constexpr std::size_t largest = std::size_t{1} << 20; ///< bytes of a block that is kept here

    /// A block of that arena and of just that size, without open marks; null if this thread's shelf has none.
    Block* take(const Arena& arena, std::size_t bytes) noexcept;
    /// False: the block is too large, or the shelf is full.
    bool put(Block& block) noexcept;
    /// Takes all blocks of all shelves. They count as given out by their arenas.
    std::vector<Block*> take_all();

    void count_buffer(MemoryKind kind, std::size_t bytes) noexcept;
    void uncount_buffer(MemoryKind kind, std::size_t bytes) noexcept;
    /// Adds the counts, of one kind or of all.
    void add_to(PoolUse& use, MemoryKind kind) const noexcept;
    void add_to(PoolUse& use) const noexcept;

private:
    static constexpr std::size_t kinds = 3;
    static constexpr std::size_t blocks = 8;

    struct alignas(64) Shelf {
        std::mutex mutex;
        std::array<Block*, blocks> kept{};
        std::size_t count = 0;
        // Relaxed: only their sums count, and a thread that reads them knows no moment for them. `buffers` is
        // modulo 2^64, because another thread may destroy one.
        std::array<std::atomic<std::uint64_t>, kinds> buffers{};
        std::array<std::atomic<std::uint64_t>, kinds> allocations{};
    };
    /// Bytes of buffers. Relaxed, for the same reason.
    struct alignas(64) Used {
        std::atomic<std::uint64_t> now{0};
        std::atomic<std::uint64_t> peak{0};

        void add(std::uint64_t bytes) noexcept;
    };

    Shelf& mine() noexcept;

    std::array<Shelf, 16> shelves_;
    std::array<Used, kinds> used_;
    Used sum_;
};

} // namespace ferry::detail
