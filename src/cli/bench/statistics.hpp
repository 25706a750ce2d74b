// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bench {

struct Spread {
    double median = 0;
    double low = 0;  ///< first quartile
    double high = 0; ///< third quartile
    double fast = 0; ///< tenth percentile: what other work on the machine disturbs least

    /// The distance of the quartiles as a part of the median.
    double relative() const { return median > 0 ? (high - low) / median : 0; }
};

/// The median of the ratios of pairs and the 95 % confidence interval of that median.
struct Ratio {
    double median = 0;
    double low = 0;
    double high = 0;
};

Spread spread(std::vector<double> values);
/// Of over[i] / under[i].
Ratio ratio(const std::vector<double>& over, const std::vector<double>& under);

/// "812 ns", "6.81 us", "19.30 ms".
std::string duration_text(double ns);

} // namespace bench
