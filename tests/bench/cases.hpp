// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <span>

namespace bench {

/// A measurement with the project's limit.
struct Case {
    Measurement what;
    double limit;       ///< highest allowed ratio Ferry / raw
    bool large = false; ///< with the large size instead of 4 KiB
};

std::span<const Case> cases();

} // namespace bench
