// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate.hpp"

namespace ferry::translate {

/// Appends the tokens as text to the existing `text`, and stores the origin of each of them.
void emit(const std::vector<Token>& tokens, Translation& translation);

} // namespace ferry::translate
