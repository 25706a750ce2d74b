// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "pool/size_class.hpp"
#include "pool/timeline.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ferry::detail {

class Arena;
struct Segment;

/// A piece of a segment, given out or free.
struct Block {
    Segment* segment = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    bool is_free = false;
    /// The commands that used the block before it became free. While it is given out, its owner's to read.
    Marks marks;
    /// The block as the backend takes it, made when it is given out for the first time; null for the only
    /// block of a whole segment, which is the segment's own.
    std::unique_ptr<backend::Memory> part;

    Block* before = nullptr; ///< by address, in its segment
    Block* after = nullptr;
    Block* previous = nullptr; ///< in its bin
    Block* next = nullptr;
};

/// Memory taken from the driver in one piece.
struct Segment {
    Arena* arena = nullptr;
    std::unique_ptr<backend::Memory> memory;
    std::size_t bytes = 0;
    bool is_whole = false; ///< not cut into blocks
    Block* first = nullptr;
    std::size_t index = 0; ///< in the arena

    Segment() = default;
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;
    ~Segment();
};

/// The segments and blocks of one kind of memory: who has which bytes. Knows no driver and no lock; the pool
/// holds its mutex.
class Arena {
public:
    explicit Arena(std::size_t step) : step_(step) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// Which free blocks will do.
    enum class Accept : std::uint8_t {
        clear, ///< those without open marks, or with marks of the given queue only
        any,
    };
    /// A free block of at least `bytes`, a multiple of step(); null if there is none. A larger one is cut,
    /// unless it is whole: then at most an eighth of it is left idle.
    Block* take(std::size_t bytes, Accept accept, const Timeline* queue = nullptr);
    void give(Block& block) noexcept;

    /// A new segment; its one block is given out, cut to `bytes` unless it is whole.
    Block* add(std::unique_ptr<Segment> segment, std::size_t bytes);
    /// Joins free neighbours. Whether there were any.
    bool merge();
    /// Takes out one segment whose bytes are all free and without open marks; null if there is none.
    std::unique_ptr<Segment> remove_idle();
    /// Adds the open marks of free blocks.
    void add_marks(Marks& marks) const;

    std::size_t step() const noexcept { return step_; }
    std::uint64_t reserved() const noexcept { return reserved_; } ///< bytes of all segments
    std::uint64_t given() const noexcept { return given_; }       ///< bytes of blocks given out
    /// Throws std::logic_error, with what is wrong, unless blocks tile their segments and the bins hold just
    /// the free ones. For tests.
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
