// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "memory/arena.hpp"
#include "memory/pool_text.hpp"
#include "memory/shelves.hpp"

#include <ferry/pool.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace ferry::detail {

/// The memory pool of one device. docs/design/pools.md describes the method, the order of steps and the
/// reasons. Takes no queue's lock while it holds its own.
class DevicePool {
public:
    /// If it is off, every buffer has its own driver allocation and the pool only counts.
    DevicePool(backend::Device& device, bool on);
    DevicePool(const DevicePool&) = delete;
    DevicePool& operator=(const DevicePool&) = delete;
    ~DevicePool();

    bool is_on() const noexcept { return on_; }
    /// A block for a buffer of `bytes`. A block of device memory may have open marks. Throws Error
    /// (out_of_memory), and errors of the driver. Blocking.
    Block& take(MemoryKind kind, std::size_t bytes);
    /// The block's marks describe its pending users. Does not wait, except that page-locked memory beyond the
    /// budget is released to the driver.
    void give(MemoryKind kind, Block& block) noexcept;
    /// Keeps a block that the program may use directly, until the driver says that the device is idle.
    void keep(Block& block) noexcept;
    /// The same for a separate allocation. `bytes`: those that the limit counts.
    void keep(MemoryKind kind, std::size_t bytes, std::unique_ptr<backend::Memory> memory) noexcept;
    /// Gives the kept memory back if the driver now waits for the device. Blocks only if there is any.
    void give_kept() noexcept;
    /// Exchanges this block for another one for `bytes` without open marks except those of `queue` (null:
    /// without any). Returns null, without any effect, if there is none without waiting.
    Block* exchange(MemoryKind kind, Block& block, std::size_t bytes, const Timeline* queue) noexcept;
    static backend::Memory& native_of(const Block& block) noexcept {
        return block.part != nullptr ? *block.part : *block.segment->memory;
    }

    // Counters. Buffers with their own allocation are counted too, and obey the limit.
    void count_buffer(MemoryKind kind, std::size_t bytes) noexcept { shelves_.count_buffer(kind, bytes); }
    void uncount_buffer(MemoryKind kind, std::size_t bytes) noexcept { shelves_.uncount_buffer(kind, bytes); }
    void reserve_direct(MemoryKind kind, std::size_t bytes);
    void unreserve_direct(MemoryKind kind, std::size_t bytes) noexcept;
    void count_wait(MemoryKind kind) noexcept;

    PoolUse use(MemoryKind kind) const;
    PoolUse use() const;
    std::uint64_t trim(std::uint64_t keep) noexcept;
    std::uint64_t trim_pinned() noexcept; ///< Releases unused memory of kind host. Returns its bytes.
    void set_limit(std::uint64_t bytes) noexcept;
    std::uint64_t limit() const noexcept;

    void check() const; ///< See Arena::check().

    /// Maximum bytes of unused page-locked memory: a quarter of the memory that this process may use.
    static std::uint64_t pinned_budget();

private:
    static constexpr std::size_t kinds = 3;
    static constexpr std::size_t small = std::size_t{64} << 10;
    static constexpr std::size_t largest_part = std::size_t{16} << 20;

    struct Request {
        MemoryKind kind{};
        Arena* arena = nullptr;
        std::size_t bytes = 0;   ///< Of the block.
        std::size_t least = 0;   ///< Acceptable if there is no more.
        std::size_t segment = 0; ///< Of a whole segment.
        bool whole = false;
    };
    struct Kept {
        MemoryKind kind{};
        std::size_t bytes = 0;
        std::unique_ptr<backend::Memory> memory;
    };
    struct Counted {
        PoolUse use;
        std::uint64_t pending = 0; ///< Bytes requested from the driver at present.
    };

    Request shape(MemoryKind kind, std::size_t bytes);
    Block* take_kept(const Request& request, Arena::Accept accept, const Timeline* queue, bool merge);
    Block* take_kept_or_shelved(const Request& request, Arena::Accept accept, const Timeline* queue);
    bool empty_shelves() noexcept; ///< into the arenas; false: they were empty
    static bool uses_shelves(const Request& request) noexcept {
        return request.kind == MemoryKind::device && !request.whole && request.bytes <= Shelves::largest;
    }
    Block& grow(const Request& request);
    Block* add_segment(const Request& request, std::unique_ptr<Error>& refusal);
    /// Null if the limits forbid it; a driver's error (out_of_memory) is stored in `refusal`.
    Block* try_segment(const Request& request, std::size_t bytes, std::unique_ptr<Error>& refusal);
    std::size_t segment_bytes(const Request& request) const;
    bool has_room(MemoryKind kind, std::uint64_t bytes) const; ///< The mutex must be held.
    void make_part(Block& block);
    Marks open_marks(MemoryKind kind) const; ///< Of free blocks.
    void poll_marked(MemoryKind kind) const;
    std::uint64_t trim(std::uint64_t keep, std::uint64_t idle_pinned) noexcept;
    std::unique_ptr<Segment> remove_idle(std::uint64_t keep, std::uint64_t idle_pinned) noexcept;
    Error no_room(const Request& request, const Error* refusal) const;
    void count_reserved(MemoryKind kind, std::int64_t bytes) noexcept; ///< The mutex must be held.
    MemoryKind kind_of(const Block& block) const noexcept;
    static constexpr std::size_t index_of(MemoryKind kind, bool is_small) noexcept {
        return static_cast<std::size_t>(kind) * 2 + (is_small ? 1 : 0);
    }
    Arena& arena(MemoryKind kind, bool is_small) noexcept { return *arenas_[index_of(kind, is_small)]; }
    std::uint64_t idle(MemoryKind kind) noexcept { ///< Bytes of free blocks.
        const Arena& large = arena(kind, false);
        const Arena& little = arena(kind, true);
        return large.reserved() + little.reserved() - large.given() - little.given();
    }
    Counted& counted(MemoryKind kind) noexcept { return counted_[static_cast<std::size_t>(kind)]; }
    const Counted& counted(MemoryKind kind) const noexcept {
        return counted_[static_cast<std::size_t>(kind)];
    }

    backend::Device& device_;
    const bool on_;
    std::array<bool, kinds> has_parts_{};
    Shelves shelves_;
    mutable std::mutex mutex_; // all that follows
    std::array<std::unique_ptr<Arena>, kinds * 2> arenas_;
    std::array<Counted, kinds> counted_;
    Block* kept_blocks_ = nullptr; ///< Linked by `next`.
    std::vector<Kept> kept_;
    PoolUse sum_;
    std::uint64_t pending_ = 0;
    std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
};

/// Trims every pool of the process, because all of them use the memory of the machine.
void trim_all_pools() noexcept;
/// At process exit, if FERRY_MEMORY_DEBUG is set.
void tell_of_leaks() noexcept;

} // namespace ferry::detail
