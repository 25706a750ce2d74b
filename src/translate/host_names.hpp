// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// The host splits kernels at their barriers: a declaration in the middle of a block then begins at its head,
/// or is repeated in each part. In kernels that are split, a name that hides another one is therefore
/// renamed. A struct, union or enum that is defined in the declaration of a variable is moved before it, with
/// a tag. Returns the new text; empty if nothing changed.
std::optional<std::vector<Token>> separate_names(const Syntax& syntax, Files& files);

/// Functions with barriers are inlined into their callers. Before that, their parameters get unique names.
/// Names declared in callers and in these functions are renamed if they are equal to names outside of
/// functions, or in a callee. Empty if there is no such function.
std::optional<std::vector<Token>> separate_callers(const Syntax& syntax, Files& files);

} // namespace ferry::translate
