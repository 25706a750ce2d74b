// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// Removes branches such as `if (WIDTH > 64) barrier(...)` with a constant condition that is false. All
/// work-items of a group must take the same path to a barrier, and an unreachable barrier must not restrict
/// the enclosing statements. Returns the new text; empty if nothing was removed.
std::optional<std::vector<Token>> drop_dead_barriers(const Syntax& syntax);

} // namespace ferry::translate
