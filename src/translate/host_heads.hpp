// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// The host splits a kernel at statements. Calls with a barrier are therefore moved out of the heads of loops
/// and of an `else if`, and from after commas, into separate statements: `while (f()) g();` becomes `for (;;)
/// { if (!(f())) break; g(); }`. Returns the new text; empty if nothing was moved.
std::optional<std::vector<Token>> clear_heads(const Syntax& syntax, Files& files);

} // namespace ferry::translate
