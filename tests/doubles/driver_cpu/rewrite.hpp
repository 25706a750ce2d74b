// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ferry_double {

struct FoundKernel {
    std::string name;             ///< qualified
    std::vector<bool> is_pointer; ///< for each parameter, as far as its text shows
};

struct Rewritten {
    std::string text;
    std::vector<FoundKernel> kernels; ///< in order, without templates
    bool barriers = false;            ///< threads of a block or warp wait for each other
};

/// Translates CUDA or HIP C++ to C++ that the prelude (device/prelude.hpp) completes. The text must be
/// preprocessed if it has relevant macros. Lines keep their numbers. It does only the work that macros cannot
/// do: `extern __shared__ T name[]`, PTX in asm(), and the search for kernels.
Rewritten rewrite(std::string_view text);

} // namespace ferry_double
