// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "syntax.hpp"
#include "token.hpp"

#include <cstddef>
#include <vector>

namespace ferry::translate {

/// The most casts in a row, and ?:, << and >> of one expression. Longer ones take more time than their
/// length.
inline constexpr std::size_t longest_chain = 256;
/// What a text may become, in tokens, when the functions with barriers are put into their callers; a longer
/// text may become 4 times its own length.
inline constexpr std::size_t most_inlined = 100'000;

/// An error for each expression with a chain longer than that.
void check_chains(const std::vector<Token>& tokens, Diagnostics& diagnostics);

/// An error if the text, which had `before` tokens, has become too long.
void check_inlined(const Syntax& syntax, std::size_t before, Diagnostics& diagnostics);

} // namespace ferry::translate
