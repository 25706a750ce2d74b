// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace quality {

/// Facts about the text of one kernel in PTX.
struct Text {
    std::size_t instructions = 0;
    std::size_t wide_loads = 0; ///< loads of 128 bits
    std::size_t wide_stores = 0;
};
std::map<std::string, Text> read_ptx(std::string_view text);

} // namespace quality
