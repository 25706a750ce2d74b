// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_info.hpp"

#include <algorithm>
#include <cctype>

namespace ferry::driver {

std::string uuid_text(const Uuid& uuid) {
    if (std::all_of(std::begin(uuid.bytes), std::end(uuid.bytes),
                    [](unsigned char byte) { return byte == 0; })) {
        return {};
    }
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text += '-';
        }
        text += digits[uuid.bytes[i] >> 4];
        text += digits[uuid.bytes[i] & 15];
    }
    return text;
}

std::string pci_text(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

} // namespace ferry::driver
