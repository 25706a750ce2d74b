// SPDX-License-Identifier: Apache-2.0
#include "base/grid_text.hpp"

namespace ferry::detail {

std::string describe(const Dim3& size) {
    return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

std::string describe(const Grid& grid) {
    return describe(grid.groups) + " groups of " + describe(grid.local) +
           (grid.has_offset() ? " at the offset (" + std::to_string(grid.offset.x) + ", " +
                                    std::to_string(grid.offset.y) + ", " + std::to_string(grid.offset.z) + ")"
                              : "");
}

} // namespace ferry::detail
