// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_unwritten.hpp"

#include <algorithm>
#include <vector>

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
unwritten(std::span<const std::byte> data, std::uint64_t key, const detail::MappedElements& elements) {
    std::vector<bool> is_member(elements.size);
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (!is_unwritten(data[i], i, key)) {
            is_member[i % elements.size] = true;
        }
    }
    const std::size_t shortest = std::max(shortest_run, elements.padding);
    for (std::size_t begin = 0; begin < data.size();) {
        std::size_t end = begin;
        std::size_t members = 0;
        while (end < data.size() && is_unwritten(data[end], end, key)) {
            members += is_member[end % elements.size] ? 1 : 0;
            ++end;
        }
        const bool by_chance = members != 0 && members < likely_chance;
        if ((end - begin >= shortest && !by_chance) ||
            (end - begin == data.size() && data.size() >= shortest_run)) {
            return std::pair(begin, end);
        }
        begin = end + 1;
    }
    return std::nullopt;
}

} // namespace ferry::host
