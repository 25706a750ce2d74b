// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_unwritten.hpp"

#include <algorithm>

namespace ferry::host {
namespace {

/// Random bytes, with all bits of the exponents of floats and doubles set.
unsigned char pattern(std::uint64_t key, std::size_t at) noexcept {
    std::uint64_t x = key + at / 8 * 0x9e3779b97f4a7c15U; // splitmix64.
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    x = (x ^ (x >> 31U)) | 0x7ff0'0000'7f80'0000U;
    return static_cast<unsigned char>(x >> (at % 8 * 8));
}

} // namespace

void mark_unwritten(void* data, std::size_t bytes, std::uint64_t key) noexcept {
    auto* const to = static_cast<unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) {
        to[i] = pattern(key, i);
    }
}

bool is_unwritten(std::byte value, std::size_t at, std::uint64_t key) noexcept {
    return value == std::byte{pattern(key, at)};
}

std::optional<std::pair<std::size_t, std::size_t>>
unwritten(const void* data, std::size_t bytes, std::uint64_t key, std::size_t padding) noexcept {
    const auto* const from = static_cast<const std::byte*>(data);
    const std::size_t shortest = std::max(shortest_run, padding);
    for (std::size_t begin = 0; begin < bytes;) {
        std::size_t end = begin;
        while (end < bytes && is_unwritten(from[end], end, key)) {
            ++end;
        }
        if (end - begin >= shortest || (end - begin == bytes && bytes >= shortest_run)) {
            return std::pair(begin, end);
        }
        begin = end + 1;
    }
    return std::nullopt;
}

} // namespace ferry::host
