// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "statements.hpp"

#include <string>

namespace ferry::translate {

/// How many elements an array has that says so by its values only, as C++. Empty if that is not plain.
std::string element_count(const Syntax& syntax, const Declaration& declaration, const Declarator& declarator);

} // namespace ferry::translate
