// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace ferry::detail::staging {

/// The median of the rates that were measured undisturbed, which are more than 0, if there are enough of them
/// (3) and they agree.
std::optional<double> settled(std::vector<double> rates);

} // namespace ferry::detail::staging
