// SPDX-License-Identifier: Apache-2.0
#include "base/uuid_text.hpp"

#include <algorithm>
#include <cstddef>

namespace ferry::detail {

std::string uuid_text(std::span<const unsigned char, 16> bytes) {
    if (std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0; })) {
        return {};
    }
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

} // namespace ferry::detail
