// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

namespace ferry::translate {

/// Refuses layouts that C++ compilers ignore for classes, as vectors are there: a vector in a packed struct,
/// and a vector type of less than its own alignment.
void check_layout(const Syntax& syntax, Diagnostics& diagnostics);

} // namespace ferry::translate
