// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// `__local int a[8], *p;` declares an array in the memory of the group and a pointer of the work-item. No
/// C++ keyword means both, so each gets a separate declaration, `__local int a[8]; __local int *p;`, and
/// later stages handle only one of them at a time. The __local of a typedef moves to each use of the type.
/// Returns the new text; empty if nothing changed.
std::optional<std::vector<Token>> part_local_objects(const Syntax& syntax, Files& files,
                                                     Diagnostics& diagnostics);

} // namespace ferry::translate
