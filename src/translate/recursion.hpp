// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "preprocess.hpp"

#include <string>
#include <string_view>

namespace ferry::translate {

/// "k.cl:3:5: error: ..." if a function of the OpenCL C text calls itself, also indirectly, because some
/// drivers' compilers then end the process. Empty if none does, or if the text cannot be preprocessed here;
/// the driver then reports the reason. Functions that are defined more than once (overloads) are not checked.
std::string find_recursion(std::string_view text, const std::string& name, const PreprocessOptions& options);

} // namespace ferry::translate
