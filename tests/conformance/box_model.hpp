// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "random.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

/// A box in memory, in bytes. It addresses bytes by plain loops, and is the reference for the library's
/// boxes.
struct Shape {
    ferry::Extent extent; ///< width in bytes
    ferry::Pitches pitches;
    std::size_t offset = 0; ///< offset of the first byte
    std::size_t bytes = 0;  ///< size of the memory that contains the box

    std::size_t at(std::size_t x, std::size_t y, std::size_t z) const {
        return offset + z * pitches.slice + y * pitches.row + x;
    }
    std::string text() const;
};

/// Each side is 1 or more. Planes, lines and single elements are as frequent as boxes.
ferry::Extent random_extent(std::size_t largest);
/// A box in bytes of `extent` elements, with random pitches, start and end. With `largest_offset`, the start
/// is below it and the memory ends with the box.
Shape random_shape(const ferry::Extent& extent, std::size_t element, std::size_t largest_offset = 0);

void move_box(const std::vector<std::uint8_t>& from, const Shape& from_shape, std::vector<std::uint8_t>& to,
              const Shape& to_shape);
/// Whether two boxes of one memory overlap.
bool meet(const Shape& a, const Shape& b);

inline ferry::Box<std::uint8_t> box(ferry::Buffer<std::uint8_t>& buffer, const Shape& shape) {
    return {buffer.subview(shape.offset), shape.extent, shape.pitches};
}
inline ferry::HostBox<const std::uint8_t> host_box(const std::vector<std::uint8_t>& memory,
                                                   const Shape& shape) {
    return {std::span(memory).subspan(shape.offset), shape.extent, shape.pitches};
}
inline ferry::HostBox<std::uint8_t> host_box(std::vector<std::uint8_t>& memory, const Shape& shape) {
    return {std::span(memory).subspan(shape.offset), shape.extent, shape.pitches};
}

/// The same within one memory: a model of the buffer that contains both boxes.
template <class T>
void move_box_of(std::vector<T>& model, const ferry::Box<T>& from, const ferry::Box<T>& to) {
    const auto place = [](const ferry::Box<T>& box, std::size_t x, std::size_t y, std::size_t z) {
        return (box.region().offset + z * box.pitches().slice + y * box.pitches().row) / sizeof(T) + x;
    };
    for (std::size_t z = 0; z < from.extent().depth; ++z) {
        for (std::size_t y = 0; y < from.extent().height; ++y) {
            for (std::size_t x = 0; x < from.extent().width; ++x) {
                model[place(to, x, y, z)] = model[place(from, x, y, z)];
            }
        }
    }
}

/// The memory kinds supported by the device.
std::vector<ferry::MemoryKind> all_kinds(const ferry::Device& device);

} // namespace conformance
