// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "token.hpp"

#include <vector>

namespace ferry::translate {

/// int (f)(int x) { ... }, as macros may leave it, declares what int f(int x) does, and becomes that.
void drop_parentheses(std::vector<Token>& tokens);

} // namespace ferry::translate
