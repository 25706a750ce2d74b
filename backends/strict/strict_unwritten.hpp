// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/view.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace ferry::host {

/// Writes a pattern over memory that must be written completely later. It depends on `key`, has no period,
/// and is a NaN for a float of any size, like poison(). `data` is even.
void mark_unwritten(void* data, std::size_t bytes, std::uint64_t key) noexcept;

/// 16 bytes of the pattern have 32 random bits.
constexpr std::size_t shortest_run = 16;
/// Padding of elements is shorter than their alignment, and programs need not write it.
constexpr std::size_t shortest_no_padding = max_element_alignment;

/// Begin and end of the first run of bytes that still hold the pattern of `key`: of `shortest_no_padding`
/// bytes or more, or of all if they are `shortest_run` or more.
std::optional<std::pair<std::size_t, std::size_t>> unwritten(const void* data, std::size_t bytes,
                                                             std::uint64_t key) noexcept;

} // namespace ferry::host
