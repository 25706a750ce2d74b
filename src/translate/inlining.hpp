// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <optional>
#include <vector>

namespace ferry::translate {

/// The host splits kernels at their barriers, which it can in a kernel's own statements only: so calls of
/// functions with barriers are replaced by the functions' bodies. Gives the new text, which may hold more
/// such calls, for the next round; nothing if there is no call to replace. What cannot be replaced stays, for
/// read_statements() to refuse.
std::optional<std::vector<Token>> inline_barriers(const Syntax& syntax, std::size_t round, Files& files,
                                                  Diagnostics& diagnostics);

} // namespace ferry::translate
