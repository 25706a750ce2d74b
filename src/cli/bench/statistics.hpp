// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bench {

struct Spread {
    double median = 0;
    double low = 0;  ///< First quartile.
    double high = 0; ///< Third quartile.
    double fast = 0; ///< Tenth percentile, which is least affected by other work on the machine.

    /// The distance between the quartiles, relative to the median.
    double relative() const { return median > 0 ? (high - low) / median : 0; }
};

/// The median of the ratios of pairs and the 95 % confidence interval of that median.
struct Ratio {
    double median = 0;
    double low = 0;
    double high = 0;
};

Spread spread(std::vector<double> values);
/// Statistics of over[i] / under[i].
Ratio ratio(const std::vector<double>& over, const std::vector<double>& under);

/// "812 ns", "6.81 us", "19.30 ms".
std::string duration_text(double ns);

} // namespace bench
