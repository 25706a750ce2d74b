// SPDX-License-Identifier: Apache-2.0
#include "memory/device_pool.hpp"

#include "base/memory_pressure.hpp"
#include "base/process_exit.hpp"
#include "memory/pool_text.hpp"
#include "system/machine.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <new>
#include <utility>

namespace ferry::detail {
namespace {

constexpr std::size_t large_step = 4096; ///< Step of offsets, not a page size of the system.
constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr MemoryKind every_kind[] = {MemoryKind::device, MemoryKind::host, MemoryKind::shared};

Arena::Accept acceptable(MemoryKind kind) noexcept {
    return kind == MemoryKind::device ? Arena::Accept::any : Arena::Accept::clear;
}

/// An unused segment. At process exit the system frees it.
std::uint64_t give_back(std::unique_ptr<Segment> segment) noexcept {
    const std::uint64_t bytes = segment->bytes;
    if (const VendorCall call; call.allowed()) {
        segment.reset();
    } else {
        static_cast<void>(segment.release());
    }
    return bytes;
}

} // namespace

DevicePool::DevicePool(backend::Device& device, bool on) : device_(device), on_(on) {
    const std::size_t alignment = device.part_alignment();
    for (const MemoryKind kind : every_kind) {
        has_parts_[static_cast<std::size_t>(kind)] = device.has_parts(kind) && alignment <= large_step;
        for (const bool is_small : {false, true}) {
            arenas_[index_of(kind, is_small)] = std::make_unique<Arena>(
                is_small ? std::max(block_step, std::min(alignment, large_step)) : large_step);
        }
    }
}

DevicePool::~DevicePool() = default;

DevicePool::Request DevicePool::shape(MemoryKind kind, std::size_t bytes) {
    const bool is_small = bytes < small;
    Request request{kind, &arena(kind, is_small), bytes, bytes, 0, false};
    request.whole = bytes > largest_part || !has_parts_[static_cast<std::size_t>(kind)];
    if (request.whole) {
        request.segment = bytes > largest_part ? round_up(bytes, 2 * mebibyte) : class_of(bytes);
        request.bytes =
            std::min(request.segment, round_up(bytes, large_step)); // It may be divided from merged parts.
    } else {
        request.least = round_up(bytes, request.arena->step());
        request.bytes = round_up(class_of(bytes), request.arena->step());
    }
    return request;
}

// The mutex must be held.
std::size_t DevicePool::segment_bytes(const Request& request) const {
    if (request.whole) {
        return request.segment;
    }
    return std::max(request.bytes, std::clamp<std::size_t>(std::bit_ceil(request.arena->reserved()),
                                                           2 * mebibyte, 32 * mebibyte));
}

bool DevicePool::has_room(MemoryKind kind, std::uint64_t bytes) const {
    const std::uint64_t held = sum_.reserved + pending_;
    if (held > limit_ || bytes > limit_ - held) {
        return false;
    }
    const DeviceInfo& info = device_.info();
    if (kind != MemoryKind::device) {
        return true;
    }
    const std::uint64_t here = counted(kind).use.reserved + counted(kind).pending;
    return (info.max_allocation == 0 || bytes <= info.max_allocation) &&
           (info.total_memory == 0 || (here <= info.total_memory && bytes <= info.total_memory - here));
}

Block& DevicePool::take(MemoryKind kind, std::size_t bytes) {
    const Request request = shape(kind, bytes);
    if (uses_shelves(request)) {
        if (Block* const block = shelves_.take(*request.arena, request.bytes); block != nullptr) {
            return *block; // its part was made when it was given out before
        }
    }
    const Arena::Accept accept = acceptable(kind);
    Block* block = take_kept_or_shelved(request, accept, nullptr);
    if (block == nullptr && accept == Arena::Accept::clear) {
        poll_marked(kind);
        block = take_kept(request, accept, nullptr, false);
    }
    if (block == nullptr) {
        block = take_kept(request, accept, nullptr, true);
    }
    if (block == nullptr) {
        block = &grow(request);
    }
    return *block;
}

Block* DevicePool::take_kept_or_shelved(const Request& request, Arena::Accept accept, const Timeline* queue) {
    Block* block = take_kept(request, accept, queue, false);
    if (block == nullptr && empty_shelves()) {
        block = take_kept(request, accept, queue, false);
    }
    return block;
}

bool DevicePool::empty_shelves() noexcept {
    try {
        const std::vector<Block*> blocks = shelves_.take_all();
        const std::lock_guard lock(mutex_);
        for (Block* const block : blocks) {
            block->segment->arena->give(*block);
        }
        return !blocks.empty();
    } catch (const std::bad_alloc&) {
        return false; // they stay where they are
    }
}

Block* DevicePool::take_kept(const Request& request, Arena::Accept accept, const Timeline* queue,
                             bool merge) {
    Block* block = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (!merge || request.arena->merge()) {
            block = request.arena->take(request.bytes, accept, queue);
        }
    }
    if (block != nullptr) {
        make_part(*block);
    }
    return block;
}

void DevicePool::make_part(Block& block) {
    if (block.part != nullptr || block.segment->is_whole) {
        return;
    }
    try {
        block.part = device_.part(*block.segment->memory, block.offset, block.bytes);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        block.segment->arena->give(block);
        throw;
    }
}

Block* DevicePool::try_segment(const Request& request, std::size_t bytes, std::unique_ptr<Error>& refusal) {
    {
        const std::lock_guard lock(mutex_);
        if (!has_room(request.kind, bytes)) {
            return nullptr;
        }
        pending_ += bytes;
        counted(request.kind).pending += bytes;
    }
    const auto settle = [&] {
        pending_ -= bytes;
        counted(request.kind).pending -= bytes;
    };
    auto segment = std::make_unique<Segment>();
    segment->bytes = bytes;
    segment->is_whole = request.whole;
    Block* block = nullptr;
    try {
        segment->memory = device_.allocate(request.kind, bytes);
        const std::lock_guard lock(mutex_);
        block = request.arena->add(std::move(segment), std::min(request.bytes, bytes));
        settle();
        count_reserved(request.kind, static_cast<std::int64_t>(bytes));
        ++counted(request.kind).use.driver_allocations;
        ++sum_.driver_allocations;
    } catch (const Error& error) {
        const std::lock_guard lock(mutex_);
        settle();
        if (error.code() != Code::out_of_memory) {
            throw;
        }
        refusal = std::make_unique<Error>(error);
        return nullptr;
    } catch (...) {
        const std::lock_guard lock(mutex_);
        settle();
        throw;
    }
    make_part(*block);
    return block;
}

Block* DevicePool::add_segment(const Request& request, std::unique_ptr<Error>& refusal) {
    std::size_t wanted = 0;
    {
        const std::lock_guard lock(mutex_);
        wanted = segment_bytes(request);
    }
    Block* block = try_segment(request, wanted, refusal);
    if (block == nullptr && request.least < wanted) {
        block = try_segment(request, request.least, refusal);
    }
    return block;
}

Block& DevicePool::grow(const Request& request) {
    std::unique_ptr<Error> refusal;
    Block* block = add_segment(request, refusal);
    if (block == nullptr) {
        trim(0);
        trim_all_pools();
        if (refusal != nullptr) { // A limit of Ferry does not count slots.
            trim_staging({});
        }
        block = add_segment(request, refusal);
    }
    if (block == nullptr) {
        empty_shelves(); // other threads may have filled them since
        for (const MemoryKind kind : every_kind) {
            static_cast<void>(wait_for(open_marks(kind))); // take_kept() checks the result.
        }
        block = take_kept(request, acceptable(request.kind), nullptr, true);
    }
    if (block == nullptr) {
        trim(0);
        block = add_segment(request, refusal);
    }
    if (block == nullptr) {
        throw no_room(request, refusal.get());
    }
    return *block;
}

Error DevicePool::no_room(const Request& request, const Error* refusal) const {
    PoolRefusal told;
    told.kind = request.kind;
    told.budget = pinned_budget();
    const std::lock_guard lock(mutex_);
    told.sum = sum_;
    shelves_.add_to(told.sum);
    told.limit = limit_;
    return describe(told, refusal);
}

void DevicePool::give(MemoryKind kind, Block& block) noexcept {
    if (kind == MemoryKind::device && shelves_.put(block)) {
        return;
    }
    bool over_budget = false;
    {
        const std::lock_guard lock(mutex_);
        block.segment->arena->give(block);
        if (kind == MemoryKind::host) {
            over_budget = idle(kind) > pinned_budget();
        }
    }
    if (over_budget) {
        trim(0, pinned_budget());
    }
}

Block* DevicePool::exchange(MemoryKind kind, Block& block, std::size_t bytes,
                            const Timeline* queue) noexcept {
    try {
        const VendorCall call;
        if (!call.allowed()) {
            return nullptr;
        }
        const Request request = shape(kind, bytes);
        Block* other = take_kept_or_shelved(request, Arena::Accept::clear, queue);
        std::unique_ptr<Error> refusal;
        if (other == nullptr) {
            other = add_segment(request, refusal);
        }
        if (other != nullptr) {
            give(kind, block);
        }
        return other;
    } catch (const std::exception&) { // The caller waits instead.
        return nullptr;
    }
}

Marks DevicePool::open_marks(MemoryKind kind) const {
    Marks marks;
    const std::lock_guard lock(mutex_);
    for (const bool is_small : {false, true}) {
        arenas_[index_of(kind, is_small)]->add_marks(marks);
    }
    return marks;
}

void DevicePool::poll_marked(MemoryKind kind) const {
    for (const Mark& mark : open_marks(kind)) {
        mark.timeline->poll();
    }
}

std::uint64_t DevicePool::trim(std::uint64_t keep) noexcept {
    give_kept();
    empty_shelves();
    try {
        for (const MemoryKind kind : every_kind) {
            poll_marked(kind);
        }
        return trim(keep, 0);
    } catch (const std::exception&) { // Out of memory for the list of queues.
        return trim(keep, 0);
    }
}

std::uint64_t DevicePool::trim_pinned() noexcept {
    try {
        poll_marked(MemoryKind::host);
    } catch (const std::exception&) { // Out of memory for the list of queues.
    }
    return trim(0, 1);
}

std::uint64_t DevicePool::trim(std::uint64_t keep, std::uint64_t idle_pinned) noexcept {
    {
        const std::lock_guard lock(mutex_);
        for (const auto& arena : arenas_) {
            arena->merge();
        }
    }
    std::uint64_t trimmed = 0;
    while (std::unique_ptr<Segment> idle = remove_idle(keep, idle_pinned)) {
        trimmed += give_back(std::move(idle));
    }
    return trimmed;
}

std::unique_ptr<Segment> DevicePool::remove_idle(std::uint64_t keep, std::uint64_t idle_pinned) noexcept {
    const std::lock_guard lock(mutex_);
    for (const MemoryKind kind : every_kind) {
        const bool enough = sum_.reserved <= keep ||
                            (idle_pinned != 0 && (kind != MemoryKind::host || idle(kind) <= idle_pinned));
        for (const bool is_small : {false, true}) {
            std::unique_ptr<Segment> segment = enough ? nullptr : arena(kind, is_small).remove_idle();
            if (segment != nullptr) {
                count_reserved(kind, -static_cast<std::int64_t>(segment->bytes));
                return segment;
            }
        }
    }
    return nullptr;
}

void DevicePool::check() const {
    const std::lock_guard lock(mutex_);
    for (const auto& arena : arenas_) {
        arena->check();
    }
}

std::uint64_t DevicePool::pinned_budget() {
    static const std::uint64_t bytes = host::total_memory() / 4;
    return bytes;
}

} // namespace ferry::detail
