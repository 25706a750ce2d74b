// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// What OpenCL's compilers make of `enum color { red, green } c;`: constants of type int, and an unsigned int
/// that holds one of them, or an int where a constant is negative (or what is wider, if one needs it). So it
/// becomes `enum { red, green }; uint c;`, for an enum of C++ would be another type, with other operators.
/// Gives the new text; nothing if there is no enum.
std::optional<std::vector<Token>> plain_enums(const Syntax& syntax, Files& files, Diagnostics& diagnostics);

} // namespace ferry::translate
