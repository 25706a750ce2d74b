// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_unwritten.hpp"

namespace ferry::host {
namespace {

/// For each two bytes: 0xfff, which makes every float a NaN, and four random bits.
unsigned char pattern(std::uint64_t key, std::size_t at) noexcept {
    if (at % 2 != 0) {
        return 0xff;
    }
    std::uint64_t x = key + at * 0x9e3779b97f4a7c15U; // splitmix64.
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<unsigned char>(0xf0U | (x >> 60U));
}

} // namespace

void mark_unwritten(void* data, std::size_t bytes, std::uint64_t key) noexcept {
    auto* const to = static_cast<unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) {
        to[i] = pattern(key, i);
    }
}

std::optional<std::pair<std::size_t, std::size_t>> unwritten(const void* data, std::size_t bytes,
                                                             std::uint64_t key) noexcept {
    const auto* const from = static_cast<const unsigned char*>(data);
    for (std::size_t begin = 0; begin < bytes;) {
        std::size_t end = begin;
        while (end < bytes && from[end] == pattern(key, end)) {
            ++end;
        }
        if (end - begin >= shortest_no_padding || (end - begin == bytes && bytes >= shortest_run)) {
            return std::pair(begin, end);
        }
        begin = end + 1;
    }
    return std::nullopt;
}

} // namespace ferry::host
