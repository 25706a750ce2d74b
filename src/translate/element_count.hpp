// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "statements.hpp"

#include <cstddef>
#include <optional>

namespace ferry::translate {

/// How many elements an array has that says so by the list of its values only. Nothing if that is not plain.
std::optional<std::size_t> count_elements(const Syntax& syntax, const Declaration& declaration,
                                          const Declarator& declarator);

} // namespace ferry::translate
