// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "token.hpp"

#include <vector>

namespace ferry::translate {

/// int (f)(int x) { ... }, which macros may produce, is replaced by the equivalent int f(int x).
void drop_parentheses(std::vector<Token>& tokens);

} // namespace ferry::translate
