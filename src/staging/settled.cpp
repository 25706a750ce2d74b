// SPDX-License-Identifier: Apache-2.0
#include "staging/settled.hpp"

#include <algorithm>
#include <cstddef>

namespace ferry::detail::staging {
namespace {

constexpr std::size_t fewest_rounds = 3;
constexpr double most_spread = 0.25; // between the quartiles, over the median

} // namespace

std::optional<double> settled(std::vector<double> rates) {
    std::erase_if(rates, [](double rate) { return !(rate > 0); });
    if (rates.size() < fewest_rounds) {
        return std::nullopt;
    }
    std::sort(rates.begin(), rates.end());
    const auto at = [&](std::size_t quarters) { return rates[(rates.size() - 1) * quarters / 4]; };
    const bool agree = at(3) - at(1) <= most_spread * at(2);
    return agree ? std::optional(at(2)) : std::nullopt;
}

} // namespace ferry::detail::staging
