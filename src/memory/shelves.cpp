// SPDX-License-Identifier: Apache-2.0
#include "memory/shelves.hpp"

#include <algorithm>

namespace ferry::detail {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

std::size_t place(MemoryKind kind) noexcept {
    return static_cast<std::size_t>(kind);
}

} // namespace

Shelves::Shelf& Shelves::mine() noexcept {
    static std::atomic<std::size_t> threads{0}; // Relaxed: distributes threads, orders nothing.
    thread_local const std::size_t number = threads.fetch_add(1, relaxed);
    return shelves_[number % shelves_.size()];
}

Block* Shelves::take(const Arena& arena, std::size_t bytes) noexcept {
    Shelf& shelf = mine();
    const std::lock_guard lock(shelf.mutex);
    for (std::size_t i = shelf.count; i-- > 0;) { // the latest first: its bytes may still be in a cache
        Block* const block = shelf.kept[i];
        if (block->bytes != bytes || block->segment->arena != &arena) {
            continue;
        }
        drop_reached(block->marks);
        if (block->marks.empty()) {
            std::copy(shelf.kept.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      shelf.kept.begin() + static_cast<std::ptrdiff_t>(shelf.count),
                      shelf.kept.begin() + static_cast<std::ptrdiff_t>(i));
            --shelf.count;
            return block;
        }
    }
    return nullptr;
}

bool Shelves::put(Block& block) noexcept {
    // take() looks for a size of a class; another one would stay on the shelf.
    if (block.bytes > largest || block.segment->is_whole ||
        block.bytes != round_up(class_of(block.bytes), block.segment->arena->step())) {
        return false;
    }
    Shelf& shelf = mine();
    const std::lock_guard lock(shelf.mutex);
    if (shelf.count == shelf.kept.size()) {
        return false;
    }
    shelf.kept[shelf.count++] = &block;
    return true;
}

std::vector<Block*> Shelves::take_all() {
    std::vector<Block*> all;
    all.reserve(shelves_.size() * blocks);
    for (Shelf& shelf : shelves_) {
        const std::lock_guard lock(shelf.mutex);
        all.insert(all.end(), shelf.kept.begin(),
                   shelf.kept.begin() + static_cast<std::ptrdiff_t>(shelf.count));
        shelf.count = 0;
    }
    return all;
}

void Shelves::Used::add(std::uint64_t bytes) noexcept {
    const std::uint64_t sum = now.fetch_add(bytes, relaxed) + bytes;
    std::uint64_t known = peak.load(relaxed);
    while (known < sum && !peak.compare_exchange_weak(known, sum, relaxed)) {
    }
}

void Shelves::count_buffer(MemoryKind kind, std::size_t bytes) noexcept {
    Shelf& shelf = mine();
    shelf.buffers[place(kind)].fetch_add(1, relaxed);
    shelf.allocations[place(kind)].fetch_add(1, relaxed);
    used_[place(kind)].add(bytes);
    sum_.add(bytes);
}

void Shelves::uncount_buffer(MemoryKind kind, std::size_t bytes) noexcept {
    mine().buffers[place(kind)].fetch_sub(1, relaxed);
    used_[place(kind)].now.fetch_sub(bytes, relaxed);
    sum_.now.fetch_sub(bytes, relaxed);
}

void Shelves::add_to(PoolUse& use, MemoryKind kind) const noexcept {
    use.used = used_[place(kind)].now.load(relaxed);
    use.used_peak = used_[place(kind)].peak.load(relaxed);
    std::int64_t buffers = 0;
    for (const Shelf& shelf : shelves_) {
        buffers += static_cast<std::int64_t>(shelf.buffers[place(kind)].load(relaxed));
        use.allocations += shelf.allocations[place(kind)].load(relaxed);
    }
    // The sum of no single moment: a buffer may be destroyed on a shelf that is read later.
    use.buffers += static_cast<std::uint64_t>(std::max<std::int64_t>(buffers, 0));
}

void Shelves::add_to(PoolUse& use) const noexcept {
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        add_to(use, kind);
    }
    use.used = sum_.now.load(relaxed);
    use.used_peak = sum_.peak.load(relaxed);
}

} // namespace ferry::detail
