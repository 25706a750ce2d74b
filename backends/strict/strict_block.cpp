// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_block.hpp"

#include "strict/strict_chance.hpp"
#include "strict/strict_unwritten.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

namespace ferry::host {
namespace {

std::array<std::atomic<std::uint64_t>, 2> in_use{};
std::atomic<std::uint64_t> last_number{0};

std::atomic<std::uint64_t>& used(MemoryKind kind) noexcept {
    return in_use[kind == MemoryKind::host ? 1 : 0];
}

} // namespace

StrictBlock::Reservation::Reservation(MemoryKind kind, std::size_t bytes) : kind_(kind), bytes_(bytes) {
    const std::uint64_t before = used(kind).fetch_add(bytes);
    if (before + bytes > total) {
        used(kind).fetch_sub(bytes);
        throw Error(Code::out_of_memory,
                    (kind == MemoryKind::imported ? "An import of " : "An allocation of ") +
                        std::to_string(bytes) + " bytes is more than the " +
                        std::to_string(before < total ? total - before : 0) +
                        " bytes that are free of the strict device's " + std::to_string(total),
                    SourceLocation{});
    }
}

StrictBlock::Reservation::~Reservation() {
    used(kind_).fetch_sub(bytes_);
}

std::uint64_t StrictBlock::free_bytes(MemoryKind kind) noexcept {
    const std::uint64_t taken = used(kind).load();
    return taken < total ? total - taken : 0;
}

StrictBlock::StrictBlock(MemoryKind kind, std::size_t bytes)
    : kind_(kind),
      owner_{Role::buffer, kind, ++last_number, bytes, 0},
      reservation_(kind, bytes),
      undefined_(kind == MemoryKind::imported ? 0 : bytes),
      key_(strict_key(owner_.number)) {
    fence_.emplace(bytes, owner_);
    data_ = fence_->data();
    if (kind == MemoryKind::host) {
        mark_unwritten(data_, bytes, key_);
    }
    protect();
}

StrictBlock::StrictBlock(void* data, std::size_t bytes, backend::Ownership ownership)
    : kind_(MemoryKind::device),
      owner_{Role::buffer, MemoryKind::device, ++last_number, bytes, 0},
      reservation_(MemoryKind::device, 0),
      undefined_(0),
      key_(0),
      data_(static_cast<std::byte*>(data)),
      adopted_(ownership == backend::Ownership::adopted) {}

StrictBlock::StrictBlock(void* data, std::size_t bytes, bool read_only)
    : kind_(MemoryKind::imported),
      owner_{Role::imported, MemoryKind::imported, ++last_number, bytes, 0},
      reservation_(kind_, bytes),
      undefined_(0),
      key_(0),
      data_(static_cast<std::byte*>(data)),
      read_only_(read_only) {
    listed_ = list(data, bytes, data, bytes, owner_);
}

StrictBlock::~StrictBlock() {
    if (kind_ == MemoryKind::imported) {
        unlist(listed_);
    } else if (adopted_) {
        std::free(data_);
    }
}

UndefinedBytes::Marks StrictBlock::undefined_of(std::size_t offset, std::size_t bytes, const std::byte* now) {
    UndefinedBytes::Marks marks = undefined_.marks(offset, bytes);
    if (kind_ == MemoryKind::host && !marks.empty()) {
        for (std::size_t i = 0; i < marks.size(); ++i) {
            marks[i] = marks[i] != 0 && is_unwritten(now[i], offset + i, key_) ? 1 : 0;
        }
        undefined_.assign(offset, marks);
        drop_short_runs(marks, shortest_run);
        if (std::find(marks.begin(), marks.end(), 1) == marks.end()) {
            marks.clear();
        }
    }
    return marks;
}

void StrictBlock::protect() const noexcept {
    if (fence_ && kind_ == MemoryKind::device) {
        fence_->allow(writers_ != 0   ? detail::PageRights::all
                      : readers_ != 0 ? detail::PageRights::read
                                      : detail::PageRights::none);
    }
}

void StrictBlock::open(bool writes) {
    const std::lock_guard lock(mutex_);
    ++(writes ? writers_ : readers_);
    turns_ += writes ? 1 : 0;
    protect();
}

std::optional<std::string> StrictBlock::close(bool writes) {
    const std::lock_guard lock(mutex_);
    std::optional<std::string> damage;
    if (fence_ && writes) {
        damage = fence_->damage();
    }
    --(writes ? writers_ : readers_);
    turns_ += writes ? 1 : 0;
    protect();
    return damage;
}

std::optional<std::uint64_t> StrictBlock::quiet(bool writes) const {
    const std::lock_guard lock(mutex_);
    return writers_ == (writes ? 1 : 0) ? std::optional(turns_) : std::nullopt;
}

} // namespace ferry::host
