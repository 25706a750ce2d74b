// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <cstddef>
#include <cstdint>

namespace ferry::driver {

/// One end of a box copy, in the form of a vendor's copy_box().
struct BoxEnd {
    enum class Kind : std::uint8_t {
        host,
        device,
        other
    }; ///< other: memory that both can access, given by
       ///< its address.

    Kind kind{};
    std::uint64_t address = 0; ///< Device address. For host memory, the host address.
    backend::Pitch pitch;
    void* context = nullptr; ///< Context of the device, for copies between devices.

    /// The vendors count rows per slice, Ferry bytes.
    std::size_t slice_rows() const noexcept { return pitch.slice / pitch.row; }
};

/// The largest pitch that the vendors accept. HIP before version 6 keeps only 32 bits.
constexpr std::size_t max_pitch = (std::size_t{1} << 31) - 1;

/// Calls copy(from, to, box) for boxes that both vendors accept: pitches within the limit, and a slice pitch
/// that is a whole number of rows. This is one call for nearly all boxes, otherwise one for each slice or
/// row.
template <class Copy>
void in_vendor_boxes(const BoxEnd& from, const BoxEnd& to, const backend::Box& box, const Copy& copy) {
    const auto whole = [](const BoxEnd& end) { return end.pitch.slice % end.pitch.row == 0; };
    const auto small = [](const BoxEnd& end) { return end.pitch.row <= max_pitch; };
    const auto part = [](BoxEnd end, std::size_t offset, std::size_t row, std::size_t rows) {
        end.address += offset;
        end.pitch = {row, row * rows};
        return end;
    };
    const bool by_row = box.width > max_pitch || !small(from) || !small(to);
    if (!by_row && box.depth > 1 && whole(from) && whole(to)) {
        copy(from, to, box);
        return;
    }
    const std::size_t rows = by_row ? 1 : box.height;
    for (std::size_t z = 0; z < box.depth; ++z) {
        for (std::size_t y = 0; y < box.height; y += rows) {
            for (std::size_t x = 0; x < box.width; x += max_pitch) {
                const std::size_t width = box.width - x < max_pitch ? box.width - x : max_pitch;
                const auto at = [&](const BoxEnd& end) {
                    return part(end, z * end.pitch.slice + y * end.pitch.row + x,
                                by_row ? width : end.pitch.row, rows);
                };
                copy(at(from), at(to), backend::Box{width, rows, 1});
            }
        }
    }
}

} // namespace ferry::driver
