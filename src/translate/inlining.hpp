// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// The host splits kernels at their barriers, which is possible only in a kernel's own statements. Calls of
/// functions with barriers are therefore replaced by the functions' bodies. Returns the new text, which may
/// contain more such calls, for the next round; empty if there is no call to replace. Calls that cannot be
/// replaced stay, and read_statements() rejects them.
std::optional<std::vector<Token>> inline_barriers(const Syntax& syntax, std::size_t round, Files& files,
                                                  Diagnostics& diagnostics);

} // namespace ferry::translate
