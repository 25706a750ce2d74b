// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <span>

namespace bench {

/// A measurement and what the project allows itself.
struct Case {
    Measurement what;
    double limit;       ///< highest ratio Ferry / raw
    bool large = false; ///< of the large size instead of 4 KiB
};

std::span<const Case> cases();

} // namespace bench
