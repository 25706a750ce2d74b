// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/token.hpp"

#include <cstddef>
#include <vector>

namespace ferry::opencl {

/// The token that names a function that calls itself, also indirectly. The number of tokens if there is none.
/// Functions that are defined more than once (overloads) are not checked.
std::size_t recursive_function(const std::vector<translate::Token>& tokens);

} // namespace ferry::opencl
