// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ferry::host {

/// What FERRY_HOST_MODE and FERRY_HOST_SEED, or the settings of those names, ask for.
struct Mode {
    bool strict = false;
    std::uint64_t seed = 0;
    std::optional<std::string> fault; ///< a full sentence, if they cannot be understood
};
Mode read_mode(const backend::Libraries& settings);

} // namespace ferry::host
