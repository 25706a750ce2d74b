// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// `if (WIDTH > 64) barrier(...)` with a constant condition: where a barrier stands, all work-items of a
/// group go the same way, and one that none of them can reach must not bind those around it. Gives the text
/// without such branches; nothing if there is none.
std::optional<std::vector<Token>> drop_dead_barriers(const Syntax& syntax);

} // namespace ferry::translate
