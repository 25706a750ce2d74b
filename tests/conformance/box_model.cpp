// SPDX-License-Identifier: Apache-2.0
#include "box_model.hpp"

#include <set>

namespace conformance {

std::string Shape::text() const {
    return std::to_string(extent.width) + "x" + std::to_string(extent.height) + "x" +
           std::to_string(extent.depth) + " pitches " + std::to_string(pitches.row) + ", " +
           std::to_string(pitches.slice) + " at " + std::to_string(offset) + " of " + std::to_string(bytes);
}

ferry::Extent random_extent(std::size_t largest) {
    const auto side = [&] { return random_below(3) == 0 ? 1 : 1 + random_below(largest); };
    return {side(), side(), side()};
}

Shape random_shape(const ferry::Extent& extent, std::size_t element, std::size_t largest_offset) {
    const auto gap = [](std::size_t most) { return random_below(3) == 0 ? 0 : random_below(most); };
    Shape shape;
    shape.extent = {extent.width * element, extent.height, extent.depth};
    shape.pitches.row = shape.extent.width + gap(20);
    const std::size_t slice = (extent.height - 1) * shape.pitches.row + shape.extent.width;
    // The distance of slices is often, but not always, a multiple of the distance of rows.
    shape.pitches.slice =
        random_below(2) == 0 ? slice + gap(50) : (extent.height + gap(4)) * shape.pitches.row;
    shape.offset = largest_offset != 0 ? random_below(largest_offset) : gap(40);
    shape.bytes =
        shape.offset + (extent.depth - 1) * shape.pitches.slice + slice + (largest_offset != 0 ? 0 : gap(40));
    return shape;
}

void move_box(const std::vector<std::uint8_t>& from, const Shape& from_shape, std::vector<std::uint8_t>& to,
              const Shape& to_shape) {
    for (std::size_t z = 0; z < from_shape.extent.depth; ++z) {
        for (std::size_t y = 0; y < from_shape.extent.height; ++y) {
            for (std::size_t x = 0; x < from_shape.extent.width; ++x) {
                to[to_shape.at(x, y, z)] = from[from_shape.at(x, y, z)];
            }
        }
    }
}

bool meet(const Shape& a, const Shape& b) {
    std::set<std::size_t> bytes;
    for (const Shape* shape : {&a, &b}) {
        for (std::size_t z = 0; z < shape->extent.depth; ++z) {
            for (std::size_t y = 0; y < shape->extent.height; ++y) {
                for (std::size_t x = 0; x < shape->extent.width; ++x) {
                    if (!bytes.insert(shape->at(x, y, z)).second) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

std::vector<ferry::MemoryKind> all_kinds(const ferry::Device& device) {
    std::vector<ferry::MemoryKind> kinds;
    for (const auto kind : {ferry::MemoryKind::device, ferry::MemoryKind::host, ferry::MemoryKind::shared}) {
        if (device.has(kind)) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

} // namespace conformance
