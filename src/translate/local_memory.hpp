// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <string_view>
#include <unordered_set>

namespace ferry::translate {

/// The names that a function declares with __local before the token `end`, including pointers to local
/// memory.
std::unordered_set<std::string_view> local_names(const Syntax& syntax, const FunctionSyntax& function,
                                                 std::size_t end);

/// Whether an expression inside a function plainly refers to local memory: it has a cast to a __local
/// pointer, or the first variable name in it was declared with __local.
bool is_in_local_memory(const Syntax& syntax, Range expression);

} // namespace ferry::translate
