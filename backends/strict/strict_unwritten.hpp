// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/mapping.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace ferry::host {

/// Writes a pattern over memory without contents yet. It depends on `key`, has no period, and is a NaN
/// for a float or double at a multiple of its size.
void mark_unwritten(void* data, std::size_t bytes, std::uint64_t key) noexcept;
/// Whether the byte `at` of such memory still holds the pattern.
bool is_unwritten(std::byte value, std::size_t at, std::uint64_t key) noexcept;

/// Eight bytes of the pattern have 45 random bits, so values of a program do not equal them by chance.
constexpr std::size_t shortest_run = 8;
constexpr std::size_t likely_chance = 4; ///< Bytes: fewer may equal it.

/// Begin and end of the first run of bytes that still hold the pattern of `key`, of at least `shortest_run`
/// and `padding` bytes, or of all if they are `shortest_run` or more. A value of fewer than `likely_chance`
/// bytes between paddings can equal the pattern by chance, so a run that contains only so few bytes of
/// members is not one. Bytes of members are those that the program wrote in some element.
std::optional<std::pair<std::size_t, std::size_t>>
unwritten(std::span<const std::byte> data, std::uint64_t key, const detail::MappedElements& elements);

} // namespace ferry::host
