// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ferry::cache {

/// 128 bits of XXH3. They detect accidental changes, not attacks: a user with write access to the cache may
/// also run code as its owner.
using Digest = std::array<char, 16>;

/// Independent of the machine.
Digest digest(std::string_view bytes) noexcept;
/// 32 hexadecimal digits.
std::string hex(const Digest& digest);

} // namespace ferry::cache
