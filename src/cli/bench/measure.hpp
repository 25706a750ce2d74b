// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measurement.hpp"
#include "statistics.hpp"

namespace bench {

/// How much is measured.
struct Effort {
    int pairs = 15;         ///< samples of each side
    int most_pairs = 60;    ///< as long as they vary too much
    double sample_ns = 2e6; ///< length of a sample, where one step is shorter
    int batch = 256; ///< steps of Timing::enqueue and ::pipelined: less than what a driver's queue holds
    int warm_up = 3; ///< samples that are thrown away
};

/// More than this between the quartiles, as a part of the median, is too much variation.
constexpr double too_much_variation = 0.1;

/// Times are nanoseconds for one step.
struct Figure {
    std::size_t bytes = 0; ///< of one step; 0 where nothing is moved
    int pairs = 0;
    int steps = 0;         ///< in one sample
    bool compared = false; ///< raw and ratio mean something
    std::string_view why_not_compared = {};
    bool device_clock = false;
    bool varied = false; ///< too much, though it was repeated
    Spread raw;
    Spread ferry;
    Ratio ratio;           ///< Ferry over raw
    double ratio_fast = 0; ///< of the tenth percentiles
};

/// Samples of both sides in turn, in random order within each pair, so that a drift of the machine meets
/// both alike; `raw` may be null or lack the operation. Checks afterwards what both have left in memory;
/// throws std::runtime_error if it is wrong.
Figure measure(const Measurement& what, Subject* raw, Subject& ferry, std::size_t bytes,
               const Effort& effort);

} // namespace bench
