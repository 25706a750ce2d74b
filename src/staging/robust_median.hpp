// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ferry::detail::staging {

inline constexpr std::size_t fewest_rounds = 3;

/// The median of the faster half of the valid rates, which are greater than 0. Slower rates are ignored
/// because a disturbance only makes a copy slower. No value if there are fewer than `fewest_rounds` valid
/// rates or if the faster half varies too much.
std::optional<double> robust_median(std::vector<double> rates);

} // namespace ferry::detail::staging
