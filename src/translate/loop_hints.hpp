// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "token.hpp"

namespace ferry::translate {

/// OpenCL C writes __attribute__((opencl_unroll_hint(4))) before a loop; it becomes `#pragma unroll 4`. Other
/// attributes before loops are dropped.
void read_loop_hints(std::vector<Token>& tokens, Files& files);

} // namespace ferry::translate
