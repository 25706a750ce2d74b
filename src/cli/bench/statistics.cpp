// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

namespace bench {

namespace {

double quantile(const std::vector<double>& sorted, double q) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

} // namespace

Spread spread(std::vector<double> values) {
    std::ranges::sort(values);
    return {quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75), quantile(values, 0.1)};
}

Ratio ratio(const std::vector<double>& over, const std::vector<double>& under) {
    std::vector<double> ratios(over.size());
    std::ranges::transform(over, under, ratios.begin(), std::divides<>{});
    std::ranges::sort(ratios);
    // Order statistics: the median lies between these two in 95 of 100 cases, for every distribution.
    const auto n = static_cast<double>(ratios.size());
    const auto low = static_cast<std::size_t>(std::max(0.0, std::floor((n - 1.96 * std::sqrt(n)) / 2)));
    return {quantile(ratios, 0.5), ratios[low], ratios[ratios.size() - 1 - low]};
}

std::string duration_text(double ns) {
    char text[32];
    const double value = ns < 1e3 ? ns : ns < 1e6 ? ns / 1e3 : ns / 1e6;
    std::snprintf(text, sizeof text, ns < 1e3 ? "%.0f ns" : ns < 1e6 ? "%.2f us" : "%.2f ms", value);
    return text;
}

} // namespace bench
