// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace ferry::translate {

/// Offset of the first byte that does not start a well-formed UTF-8 sequence (no overlong forms, no
/// surrogates, nothing above U+10FFFF). npos if there is none.
std::size_t first_not_utf8(std::string_view text) noexcept;

} // namespace ferry::translate
