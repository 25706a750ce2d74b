// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace ferry::translate {

/// The value of an integer constant expression of the language: numbers, enumerators, casts to integer types,
/// sizeof of builtin types. Empty after an error; `what` is its name in messages. `enumerators` returns the
/// values of those that it knows; the syntax provides all other ones.
using Enumerators = std::function<std::optional<std::int64_t>(std::string_view name)>;
std::optional<std::int64_t> constant_value(const Syntax& syntax, Range expression, Position at,
                                           std::string_view what, Diagnostics& diagnostics,
                                           const Enumerators& enumerators = {});

} // namespace ferry::translate
