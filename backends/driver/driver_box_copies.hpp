// SPDX-License-Identifier: Apache-2.0
#pragma once

// Part of driver_queue.hpp: copies of boxes.

#include "driver/driver_box.hpp"
#include "driver/driver_queue.hpp"

namespace ferry::driver {
namespace boxes {

using backend::Box;
using backend::Pitch;
using backend::Place;

inline BoxEnd end_of(const void* memory, Pitch pitch) noexcept {
    return {BoxEnd::Kind::host, reinterpret_cast<std::uint64_t>(memory), pitch};
}
template <class V>
BoxEnd end_of(const Place& place, Pitch pitch) noexcept {
    const bool device = memory_of<V>(place).kind() == MemoryKind::device;
    return {device ? BoxEnd::Kind::device : BoxEnd::Kind::other, place.memory->address + place.offset, pitch};
}

inline std::size_t reach(Pitch pitch, const Box& box) noexcept {
    return (box.depth - 1) * pitch.slice + (box.height - 1) * pitch.row + box.width;
}
/// Whether one vendor call may cover all of it: no boundary between two registrations is inside.
template <class V>
bool is_one_run(const Place& place, Pitch pitch, const Box& box) noexcept {
    return memory_of<V>(place).run(place.offset, reach(pitch, box)) == reach(pitch, box);
}

inline Place at(const Place& place, std::size_t offset) noexcept {
    return {place.memory, place.offset + offset};
}

/// Calls copy(from, to) for each row, with the offsets at both ends.
template <class Copy>
void for_each_row(Pitch from, Pitch to, const Box& box, const Copy& copy) {
    for (std::size_t z = 0; z < box.depth; ++z) {
        for (std::size_t y = 0; y < box.height; ++y) {
            copy(z * from.slice + y * from.row, z * to.slice + y * to.row);
        }
    }
}

} // namespace boxes

template <class V>
void Queue<V>::write_box(const void* from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) {
    if (boxes::is_one_run<V>(to, to_pitch, box) &&
        copy_host_box(from, boxes::end_of(from, from_pitch), boxes::end_of<V>(to, to_pitch), box)) {
        return;
    }
    boxes::for_each_row(from_pitch, to_pitch, box, [&](std::size_t f, std::size_t t) {
        write(static_cast<const std::byte*>(from) + f, boxes::at(to, t), box.width);
    });
}

template <class V>
void Queue<V>::read_box(Place from, Pitch from_pitch, void* to, Pitch to_pitch, const Box& box) {
    if (boxes::is_one_run<V>(from, from_pitch, box) &&
        copy_host_box(to, boxes::end_of<V>(from, from_pitch), boxes::end_of(to, to_pitch), box)) {
        return;
    }
    boxes::for_each_row(from_pitch, to_pitch, box, [&](std::size_t f, std::size_t t) {
        read(boxes::at(from, f), static_cast<std::byte*>(to) + t, box.width);
    });
}

template <class V>
void Queue<V>::copy_box(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) {
    if (boxes::is_one_run<V>(from, from_pitch, box) && boxes::is_one_run<V>(to, to_pitch, box)) {
        copy_box_ends(boxes::end_of<V>(from, from_pitch), boxes::end_of<V>(to, to_pitch), box);
        return;
    }
    boxes::for_each_row(from_pitch, to_pitch, box, [&](std::size_t f, std::size_t t) {
        copy(boxes::at(from, f), boxes::at(to, t), box.width);
    });
}

template <class V>
bool Queue<V>::copy_box_peer(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) {
    if (!boxes::is_one_run<V>(from, from_pitch, box) || !boxes::is_one_run<V>(to, to_pitch, box)) {
        boxes::for_each_row(from_pitch, to_pitch, box, [&](std::size_t f, std::size_t t) {
            copy_peer(boxes::at(from, f), boxes::at(to, t), box.width);
        });
        return true;
    }
    Device<V>& source = memory_of<V>(from).device();
    Device<V>& target = memory_of<V>(to).device();
    BoxEnd from_end = boxes::end_of<V>(from, from_pitch);
    BoxEnd to_end = boxes::end_of<V>(to, to_pitch);
    from_end.context = V::native_context(source.context().get());
    to_end.context = V::native_context(target.context().get());
    source.enable_peer(target);
    target.enable_peer(source);
    if (!V::copies_boxes_between_devices(*api_)) {
        return false;
    }
    in_vendor_boxes(from_end, to_end, box, [&](const BoxEnd& f, const BoxEnd& t, const Box& b) {
        commands_.submit_as(b.width * b.height * b.depth, V::copy_box_peer_name,
                            [&](handle::Stream stream) { return V::copy_box_peer(*api_, f, t, b, stream); });
    });
    return true;
}

/// `host` is one of the ends. Returns false if a boundary between registrations of its memory is inside the
/// box.
template <class V>
bool Queue<V>::copy_host_box(const void* host, const BoxEnd& from, const BoxEnd& to, const Box& box) {
    const std::size_t bytes = boxes::reach(from.kind == BoxEnd::Kind::host ? from.pitch : to.pitch, box);
    const typename Imports<V>::Use use(host_user_, host, bytes);
    if (use.run() != bytes) {
        return false;
    }
    copy_box_ends(from, to, box);
    return true;
}

template <class V>
void Queue<V>::copy_box_ends(const BoxEnd& from, const BoxEnd& to, const Box& box) {
    in_vendor_boxes(from, to, box, [&](const BoxEnd& f, const BoxEnd& t, const Box& b) {
        commands_.submit_as(b.width * b.height * b.depth, api_->copy_box.name,
                            [&](handle::Stream stream) { return V::copy_box(*api_, f, t, b, stream); });
    });
}

} // namespace ferry::driver
