// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::detail::staging {

/// The total rate of this number of copy threads.
struct CopyRate {
    unsigned threads = 0;
    double bytes_per_second = 0;
};

/// The thread counts to measure for a limit of `most` threads: 1, 2, 4 ... and `most`.
std::vector<unsigned> thread_counts(unsigned most);

/// The smallest thread count that reaches 95 % of the best rate. 0 if `rates` is empty.
unsigned fewest_threads(const std::vector<CopyRate>& rates) noexcept;

/// Combines measurement rounds into one rate for each thread count: the median of the faster half of its
/// rounds. If the faster half of a count varies too much, its fastest round is used, provided that even this
/// is below 95 % of the best rate, so that the count is not chosen anyway. For example, the rate of half as
/// many threads as processors depends on whether two of them share a core. No value in all other cases, and
/// if there are fewer than three rounds.
std::optional<std::vector<CopyRate>> robust_copy_rates(const std::vector<unsigned>& counts,
                                                       const std::vector<std::vector<double>>& rounds);

/// Measures all counts in each round, so that a disturbance affects all of them, and starts rounds until
/// `time` has passed. No value if the machine is too slow for three rounds, if the rounds vary too much, or
/// if 80 MiB cannot be allocated.
std::optional<std::vector<CopyRate>> measure_copy_rates(unsigned most, std::chrono::milliseconds time);

/// Conversion to text, one line for each rate, and back. No value if the text has another form or belongs to
/// another `most`.
std::string to_text(const std::vector<CopyRate>& rates);
std::optional<std::vector<CopyRate>> copy_rates_from(std::string_view text, unsigned most);

/// "1 thread copies 11.0 GB/s, 2 copy 21.3 GB/s"
std::string describe(const std::vector<CopyRate>& rates);

} // namespace ferry::detail::staging
