// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ferry::detail {

/// The fill pattern of bytes with an undefined value. Every element is a NaN as a float of any size and a
/// large number as an integer.
inline unsigned char poison_at(const void* address) noexcept {
    return (reinterpret_cast<std::uintptr_t>(address) & 1U) != 0 ? 0xff : 0xf5;
}

inline void poison(void* data, std::size_t bytes) noexcept {
    auto* const to = static_cast<unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) {
        to[i] = poison_at(to + i);
    }
}

/// The first byte that differs from the pattern. `bytes` if there is none.
inline std::size_t unpoisoned(const void* data, std::size_t bytes) noexcept {
    const auto* const from = static_cast<const unsigned char*>(data);
    std::size_t i = 0;
    while (i < bytes && from[i] == poison_at(from + i)) {
        ++i;
    }
    return i;
}

} // namespace ferry::detail
