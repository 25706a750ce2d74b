// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>

// Sizes of blocks: steps of 512 bytes up to 4 KiB, then eight classes for each doubling.
namespace ferry::detail {

constexpr std::size_t block_step = 512;
constexpr std::size_t bin_count = 8 + 8 * 36; ///< Up to 2^48 bytes.

constexpr std::size_t round_up(std::size_t bytes, std::size_t step) noexcept {
    return (bytes + step - 1) / step * step;
}

/// The smallest class of at least `bytes` bytes. `bytes` is at least 1.
constexpr std::size_t class_of(std::size_t bytes) noexcept {
    if (bytes <= 4096) {
        return round_up(bytes, block_step);
    }
    return round_up(bytes, std::size_t{1} << (std::bit_width(bytes - 1) - 4));
}

/// The bin of free blocks of this size, a multiple of block_step: sizes from one class up to the next.
constexpr std::size_t bin_of(std::size_t bytes) noexcept {
    if (bytes < 4096) {
        return bytes / block_step;
    }
    const auto power = static_cast<std::size_t>(std::bit_width(bytes)) - 1;
    const std::size_t bin = (power - 12) * 8 + 8 + ((bytes >> (power - 3)) & 7);
    return bin < bin_count ? bin : bin_count - 1;
}

static_assert(class_of(1) == 512 && class_of(4097) == 4608 && class_of(1 << 20) == 1 << 20);
static_assert(bin_of(512) == 1 && bin_of(4096) == 8 && bin_of(4608) == 9 && bin_of(8192) == 16);

} // namespace ferry::detail
