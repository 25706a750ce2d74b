// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels.hpp"

#include <ferry/grid.hpp>

#include <cstdint>
#include <vector>

// Code shared by the tests of recordings: launches of one size, and the expected result of their kernel.
namespace conformance::recorded {

inline constexpr std::uint32_t count = 1009;
inline const ferry::Grid grid = ferry::Grid::covering(count, 64);
using Values = std::vector<std::uint32_t>;

inline void stir(Values& values, std::uint32_t salt) {
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        values[i] = stir_result(values[i], i, salt);
    }
}

} // namespace conformance::recorded
