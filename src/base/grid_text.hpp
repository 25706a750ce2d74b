// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/grid.hpp>

#include <string>

namespace ferry::detail {

/// "4x1x1".
std::string describe(const Dim3& size);
/// "4x1x1 groups of 256x1x1", "... at the offset (5, 0, 0)".
std::string describe(const Grid& grid);

} // namespace ferry::detail
