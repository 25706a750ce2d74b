// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// Replaces enums by the equivalent of OpenCL's compilers. `enum color { red, green } c;` has constants of
/// type int, and an unsigned int that holds one of them, or an int if a constant is negative (or a wider type
/// if one needs it). It becomes `enum { red, green }; uint c;`, because a C++ enum would be a separate type
/// with other operators. Returns the new text; empty if there is no enum.
std::optional<std::vector<Token>> plain_enums(const Syntax& syntax, Files& files, Diagnostics& diagnostics);

} // namespace ferry::translate
