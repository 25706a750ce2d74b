// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// The host splits a kernel at statements, so what has a barrier moves out of the heads of loops and of an
/// `else if`, and from behind commas, into statements of its own: `while (f()) g();` becomes `for (;;) { if
/// (!(f())) break; g(); }`. Gives the new text; nothing if there is nothing to move.
std::optional<std::vector<Token>> clear_heads(const Syntax& syntax, Files& files);

} // namespace ferry::translate
