// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ferry::detail::staging {

inline constexpr std::size_t fewest_rounds = 3;

/// The median of the faster half of the rates that were measured undisturbed, which are more than 0, if there
/// are enough of them and that half agrees: what disturbs a copy only makes it slower.
std::optional<double> settled(std::vector<double> rates);

} // namespace ferry::detail::staging
