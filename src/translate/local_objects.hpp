// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// `__local int a[8], *p;` declares an array in the memory of the group and a pointer of the work-item's own.
/// No word of C++ could stand for both, so each gets a declaration, `__local int a[8]; __local int *p;`, and
/// whoever comes after this looks at one only. The __local of a typedef moves to where the type is used.
/// Gives the new text; nothing if there is nothing to change.
std::optional<std::vector<Token>> part_local_objects(const Syntax& syntax, Files& files,
                                                     Diagnostics& diagnostics);

} // namespace ferry::translate
