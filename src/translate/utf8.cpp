// SPDX-License-Identifier: Apache-2.0
#include "utf8.hpp"

#include <cstdint>

namespace ferry::translate {

std::size_t first_not_utf8(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x80) {
            ++i;
            continue;
        }
        const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
        if (lead < 0xC2 || lead > 0xF4 || text.size() - i <= more) {
            return i;
        }
        std::uint32_t value = lead & (0x3Fu >> more);
        for (std::size_t k = 1; k <= more; ++k) {
            const auto byte = static_cast<unsigned char>(text[i + k]);
            if ((byte & 0xC0u) != 0x80u) {
                return i;
            }
            value = (value << 6) | (byte & 0x3Fu);
        }
        const bool overlong = (more == 2 && value < 0x800) || (more == 3 && value < 0x10000);
        if (overlong || (value >= 0xD800 && value < 0xE000) || value > 0x10FFFF) {
            return i;
        }
        i += more + 1;
    }
    return std::string_view::npos;
}

} // namespace ferry::translate
