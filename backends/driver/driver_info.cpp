// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_info.hpp"

#include <cctype>

namespace ferry::driver {

std::string pci_text(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

} // namespace ferry::driver
