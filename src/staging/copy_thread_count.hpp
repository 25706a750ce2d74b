// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"
#include "staging/copy_rates.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace ferry::detail {

/// The measured copy rates of up to `most` threads on this machine, by this process, or by another one from
/// the cache of compiled kernels, which is read once. Empty if nothing is known, or FERRY_CALIBRATION forbids
/// its use. Never throws for the contents of the cache.
std::vector<staging::CopyRate> known_copy_rates(unsigned most);

/// Measures the copy rates once in a process, if they are not known or `afresh`. Takes at most about 50 ms.
/// If the results are inconclusive on a busy machine, another process tries again, a few times.
using MeasureCopyRates = std::function<std::optional<std::vector<staging::CopyRate>>(
    unsigned most, std::chrono::milliseconds time)>;
void learn_copy_rates(unsigned most, bool afresh,
                      const MeasureCopyRates& measure = staging::measure_copy_rates);

/// For tests: the cache key, and the reset to the state of a new process. Must not be called while another
/// thread measures.
cache::Key key_of_copy_rates(unsigned most);
void forget_copy_rates();

} // namespace ferry::detail
