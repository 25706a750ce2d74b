// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cases.hpp"
#include "options.hpp"

#include <vector>

namespace bench {

struct Spread {
    double median = 0;
    double low = 0;  ///< first quartile
    double high = 0; ///< third quartile
    double fast = 0; ///< tenth percentile: what other work on the machine disturbs least
};

/// Times are nanoseconds for one step.
struct Result {
    const Case* test = nullptr;
    std::size_t bytes = 0; ///< of one step; 0 where nothing is copied
    int repetitions = 0;
    int steps = 0; ///< in one sample
    Spread raw;
    Spread ferry;
    double ratio = 0;     ///< median over the pairs of Ferry / raw
    double ratio_low = 0; ///< 95 % confidence interval of that median
    double ratio_high = 0;
    double ratio_fast = 0; ///< of the tenth percentiles
};

/// Samples of both sides in turn, in random order within each pair, so that a drift of the machine meets
/// both alike. Checks afterwards what both have left in memory; throws std::runtime_error if it is wrong.
Result measure(const Case& test, Subject& raw, Subject& ferry, std::size_t large_bytes,
               const Options& options);

} // namespace bench
