// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "branches.hpp"

namespace ferry::translate {

/// Whether the condition after #if is true. Empty if that depends on unknown macros, or on operators other
/// than ! && || and comparisons.
std::optional<bool> partial_condition(std::string_view text, const Branches& branches);

/// The value of a text that is only an integer constant.
std::optional<std::int64_t> partial_integer(std::string_view text);

} // namespace ferry::translate
