// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

namespace ferry::translate {

/// Rejects layouts that C++ compilers ignore for classes, which vectors are there: a vector in a packed
/// struct, and a vector type with less than its own alignment.
void check_layout(const Syntax& syntax, Diagnostics& diagnostics);

} // namespace ferry::translate
