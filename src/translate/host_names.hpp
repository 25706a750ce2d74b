// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// The host splits kernels at their barriers: what is declared in the middle of a block then begins at its
/// head, or is made anew in each part. So in kernels that are split a name that hides another gets one of its
/// own, and a struct, union or enum that is written out where a variable is declared stands before it, with
/// a tag. Gives the new text; nothing if there is nothing to change.
std::optional<std::vector<Token>> separate_names(const Syntax& syntax, Files& files);

/// Functions with barriers are put into their callers: before that their parameters get names that nobody
/// else has, and what callers and they declare under the name of something outside of functions, or of a
/// function that they call, gets one of its own. Nothing if there is no such function.
std::optional<std::vector<Token>> separate_callers(const Syntax& syntax, Files& files);

} // namespace ferry::translate
