// SPDX-License-Identifier: Apache-2.0
// The defaults of the contract for boxes and batches.
#include "hal/backend.hpp"

namespace ferry::backend {
namespace {

template <class Row>
void for_each_row(Pitch from, Pitch to, const Box& box, const Row& row) {
    for (std::size_t z = 0; z < box.depth; ++z) {
        for (std::size_t y = 0; y < box.height; ++y) {
            row(z * from.slice + y * from.row, z * to.slice + y * to.row);
        }
    }
}

Place at(Place place, std::size_t offset) {
    return {place.memory, place.offset + offset};
}

} // namespace

void Queue::write_box(const void* from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) {
    for_each_row(from_pitch, to_pitch, box, [&](std::size_t source, std::size_t target) {
        write(static_cast<const std::byte*>(from) + source, at(to, target), box.width);
    });
}

void Queue::read_box(Place from, Pitch from_pitch, void* to, Pitch to_pitch, const Box& box) {
    for_each_row(from_pitch, to_pitch, box, [&](std::size_t source, std::size_t target) {
        read(at(from, source), static_cast<std::byte*>(to) + target, box.width);
    });
}

void Queue::copy_box(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) {
    for_each_row(from_pitch, to_pitch, box, [&](std::size_t source, std::size_t target) {
        copy(at(from, source), at(to, target), box.width);
    });
}

bool Queue::copy_box_peer(Place, Pitch, Place, Pitch, const Box&) {
    return false;
}

void Queue::copy_batch(std::span<const BatchCopy> copies) {
    for (const BatchCopy& one : copies) {
        if (one.from.memory == nullptr) {
            write(one.host_from, one.to, one.bytes);
        } else if (one.to.memory == nullptr) {
            read(one.from, one.host_to, one.bytes);
        } else {
            copy(one.from, one.to, one.bytes);
        }
    }
}

} // namespace ferry::backend
