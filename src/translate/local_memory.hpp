// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

namespace ferry::translate {

/// Whether an expression inside a function plainly speaks of local memory: it has a cast to a __local
/// pointer, or the first name in it that is a variable's was declared with __local.
bool is_in_local_memory(const Syntax& syntax, Range expression);

} // namespace ferry::translate
