// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/timeline.hpp"
#include "hal/backend.hpp"
#include "memory/size_class.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ferry::detail {

class Arena;
struct Segment;

/// A piece of a segment, in use or free.
struct Block {
    Segment* segment = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    bool is_free = false;
    /// The commands that used the block before it became free. While it is in use, its owner reads them.
    Marks marks;
    /// The block in the form of the backend, created at its first use. Null for the only block of a whole
    /// segment, which uses the segment's own.
    std::unique_ptr<backend::Memory> part;

    Block* before = nullptr; ///< By address, in its segment.
    Block* after = nullptr;
    Block* previous = nullptr; ///< In its bin.
    Block* next = nullptr;
};

/// Memory allocated from the driver as one allocation.
struct Segment {
    Arena* arena = nullptr;
    std::unique_ptr<backend::Memory> memory;
    std::size_t bytes = 0;
    bool is_whole = false; ///< Not divided into blocks.
    Block* first = nullptr;
    std::size_t index = 0; ///< In the arena.

    Segment() = default;
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;
    ~Segment();
};

/// The segments and blocks of one kind of memory, and their use. It calls no driver and takes no lock; the
/// pool holds its mutex.
class Arena {
public:
    explicit Arena(std::size_t step) : step_(step) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// The free blocks that are acceptable.
    enum class Accept : std::uint8_t {
        clear, ///< Blocks without open marks, or only with marks of the given queue.
        any,
    };
    /// A free block of at least `bytes`, a multiple of step(). Null if there is none. A larger one is
    /// divided, unless it is whole; a whole one leaves at most an eighth unused.
    Block* take(std::size_t bytes, Accept accept, const Timeline* queue = nullptr);
    void give(Block& block) noexcept;

    /// Adds a segment. Returns its one block, divided to `bytes` unless it is whole.
    Block* add(std::unique_ptr<Segment> segment, std::size_t bytes);
    /// Merges free neighbours. Returns true if there were any.
    bool merge();
    /// Removes one segment that is completely free and without open marks. Null if there is none.
    std::unique_ptr<Segment> remove_idle();
    /// Adds the open marks of free blocks.
    void add_marks(Marks& marks) const;

    std::size_t step() const noexcept { return step_; }
    std::uint64_t reserved() const noexcept { return reserved_; } ///< Bytes of all segments.
    std::uint64_t given() const noexcept { return given_; }       ///< Bytes of blocks in use.
    /// For tests: throws std::logic_error with the problem unless blocks cover their segments exactly and the
    /// bins hold exactly the free ones.
    void check() const;

private:
    Block* take_from(std::size_t bin, std::size_t bytes, std::size_t most, Accept accept,
                     const Timeline* queue);
    Block* hand_out(Block& block, std::size_t bytes);
    void insert(Block& block) noexcept;
    void erase(Block& block) noexcept;
    void cut(Block& block, std::size_t bytes);
    std::size_t next_bin(std::size_t from) const noexcept;

    struct Bin {
        Block* first = nullptr;
        Block* last = nullptr;
    };
    const std::size_t step_;
    std::array<Bin, bin_count> bins_{};
    std::array<std::uint64_t, (bin_count + 63) / 64> filled_{};
    std::vector<std::unique_ptr<Segment>> segments_;
    std::uint64_t reserved_ = 0;
    std::uint64_t given_ = 0;
};

} // namespace ferry::detail
