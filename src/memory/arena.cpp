// SPDX-License-Identifier: Apache-2.0
#include "memory/arena.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

// Number of blocks checked in one bin before the next. The oldest are first, because they are the most likely
// to be done.
constexpr int most_looks = 8;

} // namespace

Segment::~Segment() {
    while (first != nullptr) {
        delete std::exchange(first, first->after);
    }
}

std::size_t Arena::next_bin(std::size_t from) const noexcept {
    for (std::size_t word = from / 64; word < filled_.size(); ++word) {
        std::uint64_t bits = filled_[word];
        if (word == from / 64) {
            bits &= ~std::uint64_t{0} << (from % 64);
        }
        if (bits != 0) {
            return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        }
    }
    return bin_count;
}

void Arena::insert(Block& block) noexcept {
    const std::size_t index = bin_of(block.bytes);
    Bin& bin = bins_[index];
    block.previous = bin.last;
    block.next = nullptr;
    (bin.last != nullptr ? bin.last->next : bin.first) = &block;
    bin.last = &block;
    filled_[index / 64] |= std::uint64_t{1} << (index % 64);
}

void Arena::erase(Block& block) noexcept {
    const std::size_t index = bin_of(block.bytes);
    Bin& bin = bins_[index];
    (block.previous != nullptr ? block.previous->next : bin.first) = block.next;
    (block.next != nullptr ? block.next->previous : bin.last) = block.previous;
    if (bin.first == nullptr) {
        filled_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    }
}

Block* Arena::take_from(std::size_t bin, std::size_t bytes, std::size_t most, Accept accept,
                        const Timeline* queue) {
    int looks = 0;
    for (Block* block = bins_[bin].first; block != nullptr && looks < most_looks; block = block->next) {
        if (block->bytes < bytes || (block->segment->is_whole && block->bytes > most)) {
            continue;
        }
        ++looks;
        if ((accept == Accept::any && !has_abandoned(block->marks)) || is_clear_for(block->marks, queue)) {
            return block;
        }
    }
    return nullptr;
}

Block* Arena::take(std::size_t bytes, Accept accept, const Timeline* queue) {
    const std::size_t most = std::max(class_of(bytes), bytes + bytes / 8); // For a whole segment.
    const std::size_t own = bin_of(bytes);
    // A block of this size that has to be waited for is better than dividing a larger one.
    Block* block = take_from(own, bytes, most, Accept::clear, queue);
    if (block == nullptr && accept == Accept::any) {
        block = take_from(own, bytes, most, accept, queue);
    }
    const auto take_larger = [&](Accept now) {
        for (std::size_t bin = next_bin(own + 1); block == nullptr && bin < bin_count;
             bin = next_bin(bin + 1)) {
            block = take_from(bin, bytes, most, now, queue);
        }
    };
    take_larger(Accept::clear);
    if (accept == Accept::any) {
        take_larger(accept);
    }
    return block != nullptr ? hand_out(*block, bytes) : nullptr;
}

Block* Arena::hand_out(Block& block, std::size_t bytes) {
    if (!block.segment->is_whole && block.bytes > bytes && bin_of(block.bytes) != bin_of(bytes)) {
        cut(block, bytes); // First, because only this can throw.
    }
    erase(block);
    drop_reached(block.marks);
    block.is_free = false;
    given_ += block.bytes;
    return &block;
}

void Arena::cut(Block& block, std::size_t bytes) {
    auto rest = std::make_unique<Block>();
    rest->marks = block.marks;
    rest->segment = block.segment;
    rest->offset = block.offset + bytes;
    rest->bytes = block.bytes - bytes;
    rest->is_free = true;
    rest->before = &block;
    rest->after = block.after;
    if (block.is_free) {
        erase(block);
    }
    block.bytes = bytes;
    block.part.reset();
    if (block.is_free) {
        insert(block);
    }
    if (rest->after != nullptr) {
        rest->after->before = rest.get();
    }
    block.after = rest.get();
    insert(*rest.release());
}

void Arena::give(Block& block) noexcept {
    given_ -= block.bytes;
    block.is_free = true;
    insert(block);
}

Block* Arena::add(std::unique_ptr<Segment> segment, std::size_t bytes) {
    auto block = std::make_unique<Block>();
    segments_.reserve(segments_.size() + 1);
    segment->arena = this;
    segment->index = segments_.size();
    block->segment = segment.get();
    block->bytes = segment->bytes;
    segment->first = block.release();
    Block& first = *segment->first;
    reserved_ += segment->bytes;
    given_ += segment->bytes;
    segments_.push_back(std::move(segment));
    if (!first.segment->is_whole && first.bytes > bytes) {
        const std::size_t all = first.bytes;
        cut(first, bytes);
        given_ -= all - bytes;
    }
    return &first;
}

bool Arena::merge() {
    bool merged = false;
    for (const auto& segment : segments_) {
        for (Block* block = segment->first; block != nullptr;) {
            Block* const after = block->after;
            if (!block->is_free || after == nullptr || !after->is_free) {
                block = after;
                continue;
            }
            drop_reached(block->marks);
            for (const Mark& mark : after->marks) {
                if (!mark.is_reached()) {
                    add_mark(block->marks, mark);
                }
            }
            after->part.reset();
            block->part.reset();
            erase(*block);
            erase(*after);
            block->bytes += after->bytes;
            block->after = after->after;
            if (block->after != nullptr) {
                block->after->before = block;
            }
            delete after;
            insert(*block);
            merged = true;
        }
    }
    return merged;
}

std::unique_ptr<Segment> Arena::remove_idle() {
    for (auto& segment : segments_) {
        Block& block = *segment->first;
        if (!block.is_free || block.after != nullptr || !is_clear_for(block.marks, nullptr)) {
            continue;
        }
        erase(block);
        reserved_ -= segment->bytes;
        std::unique_ptr<Segment> removed = std::move(segment);
        if (removed->index + 1 != segments_.size()) {
            segments_[removed->index] = std::move(segments_.back());
            segments_[removed->index]->index = removed->index;
        }
        segments_.pop_back();
        return removed;
    }
    return nullptr;
}

void Arena::add_marks(Marks& marks) const {
    for (const Bin& bin : bins_) {
        for (const Block* block = bin.first; block != nullptr; block = block->next) {
            for (const Mark& mark : block->marks) {
                if (!mark.is_reached()) {
                    add_mark(marks, mark);
                }
            }
        }
    }
}

void Arena::check() const {
    const auto expect = [](bool right, const char* what) {
        if (!right) {
            throw std::logic_error(std::string("The arena is inconsistent: ") + what);
        }
    };
    std::uint64_t reserved = 0;
    std::uint64_t given = 0;
    std::size_t free = 0;
    for (const auto& segment : segments_) {
        reserved += segment->bytes;
        std::size_t at = 0;
        const Block* before = nullptr;
        for (const Block* block = segment->first; block != nullptr; block = block->after) {
            expect(block->offset == at && block->bytes != 0, "a gap or an overlap in a segment");
            expect(block->before == before && block->segment == segment.get(), "a wrong neighbour");
            expect(segment->is_whole || block->bytes % block_step == 0, "an odd size");
            given += block->is_free ? 0 : block->bytes;
            free += block->is_free ? 1 : 0;
            at += block->bytes;
            before = block;
        }
        expect(at == segment->bytes, "a segment that is not covered");
    }
    expect(reserved == reserved_ && given == given_, "a wrong sum");
    for (std::size_t bin = 0; bin < bin_count; ++bin) {
        const bool filled = (filled_[bin / 64] >> (bin % 64) & 1) != 0;
        expect(filled == (bins_[bin].first != nullptr), "a wrong bit");
        for (const Block* block = bins_[bin].first; block != nullptr; block = block->next) {
            expect(block->is_free && bin_of(block->bytes) == bin, "a block in a wrong bin");
            --free;
        }
    }
    expect(free == 0, "a free block in no bin");
}

} // namespace ferry::detail
