// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"
#include "staging/copy_rates.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace ferry::detail {

/// What up to `most` threads copy on this machine, as it was measured: by this process, or by another one and
/// kept in the cache of compiled kernels, where it looks once. Empty if nothing is known, or
/// FERRY_CALIBRATION forbids to look. Never throws for what the cache has.
std::vector<staging::CopyRate> known_copy_rates(unsigned most);

/// Measures that, where it is not known or `afresh`, once in a process. At most about 50 ms. What does not
/// settle on a busy machine is left as it was, for another process to try, a few times.
using MeasureCopyRates = std::function<std::optional<std::vector<staging::CopyRate>>(
    unsigned most, std::chrono::milliseconds time)>;
void learn_copy_rates(unsigned most, bool afresh,
                      const MeasureCopyRates& measure = staging::measure_copy_rates);

/// For tests: where they are kept, and as a new process begins; not while another thread measures.
cache::Key key_of_copy_rates(unsigned most);
void forget_copy_rates();

} // namespace ferry::detail
