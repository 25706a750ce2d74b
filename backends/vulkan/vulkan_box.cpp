// SPDX-License-Identifier: Apache-2.0
#include "vulkan_device.hpp"
#include "vulkan_queue.hpp"

#include <algorithm>
#include <cstring>

// Boxes and batches. Each row of a box is a region of a copy.
namespace ferry::vulkan {
namespace {

std::size_t offset_of(const backend::Pitch& pitch, const backend::Box& box, std::size_t row) noexcept {
    return row / box.height * pitch.slice + row % box.height * pitch.row;
}

std::size_t extent_of(const backend::Pitch& pitch, const backend::Box& box) noexcept {
    return (box.depth - 1) * pitch.slice + (box.height - 1) * pitch.row + box.width;
}

/// While it lives, the commands of a stream may run in any order.
class Unordered {
public:
    explicit Unordered(Stream& stream) : stream_(stream) {
        const std::lock_guard lock(stream_.mutex());
        stream_.begin_unordered();
    }
    Unordered(const Unordered&) = delete;
    Unordered& operator=(const Unordered&) = delete;
    ~Unordered() {
        const std::lock_guard lock(stream_.mutex());
        stream_.end_unordered();
    }

private:
    Stream& stream_;
};

backend::Place at(const backend::Place& place, std::size_t offset) noexcept {
    return {place.memory, place.offset + offset};
}

} // namespace

/// Calls rows(first, count, piece) for parts of the box with staging memory for them. Wide rows are not
/// taken.
template <class Rows>
void VulkanQueue::for_pieces(const backend::Box& box, const Rows& rows) {
    const std::size_t all = box.height * box.depth;
    for (std::size_t first = 0; first < all;) {
        const std::size_t most = std::min(all - first, most_regions);
        const Piece piece = stream_.stage(box.width, most * box.width, 16);
        const std::size_t count = piece.bytes / box.width;
        rows(first, count, piece);
        first += count;
        taken.bytes += count * box.width;
    }
}

void VulkanQueue::write_box(const void* from, backend::Pitch from_pitch, backend::Place to,
                            backend::Pitch to_pitch, const backend::Box& box) {
    const backend::Place source = find(from, extent_of(from_pitch, box));
    if (source.memory != nullptr) {
        copy_box(source, from_pitch, to, to_pitch, box);
        return;
    }
    const auto* const start = static_cast<const std::byte*>(from);
    const std::lock_guard lock(stream_.mutex());
    if (box.width > Staging::block_bytes / 4) {
        for (std::size_t row = 0; row < box.height * box.depth; ++row) {
            write_staged(start + offset_of(from_pitch, box, row), at(to, offset_of(to_pitch, box, row)),
                         box.width);
        }
        return;
    }
    const VulkanMemory& target = memory_of(to);
    for_pieces(box, [&](std::size_t first, std::size_t count, const Piece& piece) {
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(piece.host + i * box.width, start + offset_of(from_pitch, box, first + i), box.width);
            regions_[i] = {piece.memory->origin() + piece.offset + i * box.width,
                           target.origin() + to.offset + offset_of(to_pitch, box, first + i), box.width};
        }
        add_copies(device_, stream_, *piece.memory, target, {regions_.data(), count});
    });
}

void VulkanQueue::read_box(backend::Place from, backend::Pitch from_pitch, void* to, backend::Pitch to_pitch,
                           const backend::Box& box) {
    const std::size_t extent = extent_of(to_pitch, box);
    const HostRanges::Found found = device_.host_ranges().find(to, extent);
    const backend::Place target = find(to, extent);
    if (target.memory != nullptr) {
        copy_box(from, from_pitch, target, to_pitch, box);
        return;
    }
    {
        auto* const start = static_cast<std::byte*>(to);
        const std::lock_guard lock(stream_.mutex());
        if (box.width > Staging::block_bytes / 4) {
            for (std::size_t row = 0; row < box.height * box.depth; ++row) {
                read_staged(at(from, offset_of(from_pitch, box, row)), start + offset_of(to_pitch, box, row),
                            box.width);
            }
        } else {
            const VulkanMemory& source = memory_of(from);
            for_pieces(box, [&](std::size_t first, std::size_t count, const Piece& piece) {
                for (std::size_t i = 0; i < count; ++i) {
                    regions_[i] = {source.origin() + from.offset + offset_of(from_pitch, box, first + i),
                                   piece.memory->origin() + piece.offset + i * box.width, box.width};
                }
                add_copies(device_, stream_, source, *piece.memory, {regions_.data(), count});
                for (std::size_t i = 0; i < count;) { // The rows of a slice are one read.
                    const std::size_t row = first + i;
                    const std::size_t same = std::min(count - i, box.height - row % box.height);
                    device_.host_reads().add({&stream_, stream_.value(), piece.host + i * box.width,
                                              start + offset_of(to_pitch, box, row), box.width, same,
                                              to_pitch.row});
                    i += same;
                }
            });
        }
    }
    if (found.match == HostRanges::Match::waits) {
        finish();
    }
}

void VulkanQueue::copy_box(backend::Place from, backend::Pitch from_pitch, backend::Place to,
                           backend::Pitch to_pitch, const backend::Box& box) {
    const VulkanMemory& source = memory_of(from);
    const VulkanMemory& target = memory_of(to);
    const std::size_t all = box.height * box.depth;
    const std::lock_guard lock(stream_.mutex());
    for (std::size_t first = 0; first < all; first += most_regions) {
        const std::size_t count = std::min(all - first, most_regions);
        for (std::size_t i = 0; i < count; ++i) {
            regions_[i] = {source.origin() + from.offset + offset_of(from_pitch, box, first + i),
                           target.origin() + to.offset + offset_of(to_pitch, box, first + i), box.width};
        }
        add_copies(device_, stream_, source, target, {regions_.data(), count});
    }
}

void VulkanQueue::copy_batch(std::span<const backend::BatchCopy> copies) {
    const Unordered unordered(stream_);
    backend::Queue::copy_batch(copies);
}

} // namespace ferry::vulkan
