// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "syntax.hpp"
#include "token.hpp"

#include <cstddef>
#include <vector>

namespace ferry::translate {

/// Maximum number of consecutive casts, and of ?:, << and >> in one expression. Compile time grows faster
/// than the length of longer chains.
inline constexpr std::size_t longest_chain = 256;
/// Maximum size of a text, in tokens, after functions with barriers are inlined. A longer text may grow to 4
/// times its own length.
inline constexpr std::size_t most_inlined = 100'000;

/// Reports an error for each expression with a longer chain.
void check_chains(const std::vector<Token>& tokens, Diagnostics& diagnostics);

/// Reports an error if the text, which had `before` tokens, has become too long.
void check_inlined(const Syntax& syntax, std::size_t before, Diagnostics& diagnostics);

} // namespace ferry::translate
