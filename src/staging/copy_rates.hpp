// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::detail::staging {

/// What so many threads copy together, as the copy threads do it.
struct CopyRate {
    unsigned threads = 0;
    double bytes_per_second = 0;
};

/// What is measured where no more than `most` threads may run: 1, 2, 4 ... and `most`.
std::vector<unsigned> thread_counts(unsigned most);

/// The fewest threads that reach 95 % of the best rate; 0 of no rates.
unsigned fewest_threads(const std::vector<CopyRate>& rates) noexcept;

/// What rounds over the counts tell, by count: the medians of the faster halves. A count whose faster half
/// does not agree stands with its fastest round where even that is below 95 % of the best (half of the
/// processors where two share a core: it depends on which); otherwise nothing is known, as with fewer than
/// three rounds.
std::optional<std::vector<CopyRate>> settled_rates(const std::vector<unsigned>& counts,
                                                   const std::vector<std::vector<double>>& rounds);

/// Runs rounds over all the counts, so that what disturbs one disturbs all, while the time lasts. Nothing
/// where the machine is too slow for three rounds, too busy for rounds that agree, or has no room for 80 MiB.
std::optional<std::vector<CopyRate>> measure_copy_rates(unsigned most, std::chrono::milliseconds time);

/// As text, a line for each, and back. Nothing from a text of another form, or for another `most`.
std::string to_text(const std::vector<CopyRate>& rates);
std::optional<std::vector<CopyRate>> copy_rates_from(std::string_view text, unsigned most);

/// "1 thread copies 11.0 GB/s, 2 copy 21.3 GB/s"
std::string describe(const std::vector<CopyRate>& rates);

} // namespace ferry::detail::staging
