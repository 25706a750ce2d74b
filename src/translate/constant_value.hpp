// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry::translate {

/// The value of an integer constant expression of the language: numbers, enumerators, sizeof of builtin
/// types. Nothing after an error; `what` is named in messages.
std::optional<std::int64_t> constant_value(const Syntax& syntax, Range expression, Position at,
                                           std::string_view what, Diagnostics& diagnostics);

} // namespace ferry::translate
