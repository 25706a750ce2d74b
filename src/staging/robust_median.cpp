// SPDX-License-Identifier: Apache-2.0
#include "staging/robust_median.hpp"

#include <algorithm>

namespace ferry::detail::staging {
namespace {

constexpr double most_spread = 0.25; // Allowed range of the faster half, relative to its median.

} // namespace

std::optional<double> robust_median(std::vector<double> rates) {
    std::erase_if(rates, [](double rate) { return !(rate > 0); });
    if (rates.size() < fewest_rounds) {
        return std::nullopt;
    }
    std::sort(rates.begin(), rates.end());
    rates.erase(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2));
    const double median = rates[(rates.size() - 1) / 2];
    return rates.back() - rates.front() <= most_spread * median ? std::optional(median) : std::nullopt;
}

} // namespace ferry::detail::staging
