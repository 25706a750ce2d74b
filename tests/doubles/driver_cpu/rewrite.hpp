// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ferry_double {

struct FoundKernel {
    std::string name;             ///< qualified
    std::vector<bool> is_pointer; ///< of each parameter, as far as its text tells
};

struct Rewritten {
    std::string text;
    std::vector<FoundKernel> kernels; ///< in order; no templates
    bool barriers = false;            ///< threads of a block or warp wait for each other
};

/// Takes CUDA or HIP C++, preprocessed if it has macros that matter, and makes C++ of it that the prelude
/// (device/prelude.hpp) completes. Lines stay where they are. Only what macros cannot do is done here:
/// `extern __shared__ T name[]`, PTX in asm(), and finding the kernels.
Rewritten rewrite(std::string_view text);

} // namespace ferry_double
