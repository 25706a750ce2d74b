// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ferry::cache {

/// 128 bits of XXH3, which detect accidents, not attacks: a user that may write to the cache may also run
/// code as its owner.
using Digest = std::array<char, 16>;

/// The same on every machine.
Digest digest(std::string_view bytes) noexcept;
/// 32 digits.
std::string hex(const Digest& digest);

} // namespace ferry::cache
