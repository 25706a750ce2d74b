// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace ferry::host {

/// Writes a pattern over memory that must be written completely later. It depends on `key`, has no period,
/// and is a NaN for a float of any size, like poison(). `data` is even.
void mark_unwritten(void* data, std::size_t bytes, std::uint64_t key) noexcept;

/// Begin and end of the first run of at least `shortest_run` bytes that still have the pattern of `key`.
/// Shorter ones may be padding between members, which programs need not write.
std::optional<std::pair<std::size_t, std::size_t>> unwritten(const void* data, std::size_t bytes,
                                                             std::uint64_t key) noexcept;
/// 16 bytes of the pattern have 32 random bits.
constexpr std::size_t shortest_run = 16;

} // namespace ferry::host
