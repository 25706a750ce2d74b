// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// A value that a kernel prints.
struct PrintValue {
    std::vector<std::uint64_t> lanes; ///< The bits of each component.
    unsigned bytes = 4;               ///< Of a component: 4 or 8.
    std::string_view text;            ///< Of a string. It ends at the first zero byte.
};

/// The text that printf() prints in the C locale. A conversion without a value is printed as it is written.
/// The length in a conversion of an integer selects the bits that are printed. The size of a floating-point
/// number is that of its value.
std::string printf_text(std::string_view format, std::span<const PrintValue> values);

} // namespace ferry::translate
