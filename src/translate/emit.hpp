// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate.hpp"

namespace ferry::translate {

/// Writes the tokens as text behind what `text` holds already, and where each of them comes from.
void emit(const std::vector<Token>& tokens, Translation& translation);

} // namespace ferry::translate
