// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "token.hpp"

#include <cstddef>
#include <vector>

namespace ferry::translate {

/// The token that names a function that calls itself, also indirectly. The number of tokens if there is none.
/// Functions that are defined more than once (overloads) are not checked.
std::size_t recursive_function(const std::vector<Token>& tokens);

} // namespace ferry::translate
