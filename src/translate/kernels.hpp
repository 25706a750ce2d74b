// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rewrite.hpp"
#include "translate.hpp"

namespace ferry::translate {

/// Appends the C++ of a whole file and describes its kernels.
std::vector<TranslatedKernel> write_file(const Rewriter& rewriter, Output& out);

} // namespace ferry::translate
