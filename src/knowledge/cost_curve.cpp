// SPDX-License-Identifier: Apache-2.0
#include "knowledge/placement_costs.hpp"

#include <algorithm>
#include <cmath>

namespace ferry::detail {

std::size_t Curve::points() const noexcept {
    const auto end = std::find_if(seconds.begin(), seconds.end(), [](double s) { return !(s > 0); });
    return static_cast<std::size_t>(end - seconds.begin());
}

double Curve::at(double bytes) const {
    const std::size_t last = points() - 1;
    const auto size = [](std::size_t i) { return static_cast<double>(sizes[i]); };
    if (bytes <= size(0)) {
        return seconds[0];
    }
    for (std::size_t i = 1; i <= last; ++i) {
        if (bytes <= size(i)) {
            const double power = std::log(seconds[i] / seconds[i - 1]) / std::log(size(i) / size(i - 1));
            return seconds[i - 1] * std::pow(bytes / size(i - 1), power);
        }
    }
    const double mean = seconds[last] / size(last);
    const double grown = (seconds[last] - seconds[last - 1]) / (size(last) - size(last - 1));
    return seconds[last] + (bytes - size(last)) * std::max(grown, mean / 2);
}

bool Curve::reaches(double bytes) const noexcept {
    return known() && bytes <= static_cast<double>(sizes[points() - 1]);
}

bool CostModel::known() const noexcept {
    return ordinary[static_cast<std::size_t>(Placement::stage)].known();
}

std::size_t CostModel::sizes() const noexcept {
    const RoundCosts& costs = ordinary[static_cast<std::size_t>(Placement::stage)];
    return std::min({costs.reads.points(), costs.writes.points(), costs.updates.points()});
}

} // namespace ferry::detail
