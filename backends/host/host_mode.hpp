// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ferry::host {

/// The mode set by FERRY_HOST_MODE and FERRY_HOST_SEED, or by the settings with these names.
struct Mode {
    bool strict = false;
    std::uint64_t seed = 0;
    std::optional<std::string> fault; ///< A full sentence if they are invalid.
};
Mode read_mode(const backend::Libraries& settings);

} // namespace ferry::host
