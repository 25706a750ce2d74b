// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "statements.hpp"

#include <string>

namespace ferry::translate {

/// The number of elements of an array that has its size only from its values, as C++. Empty if that is not
/// determined.
std::string element_count(const Syntax& syntax, const Declaration& declaration, const Declarator& declarator);

} // namespace ferry::translate
