// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::driver {

/// What is wrong with the outer form of a binary, as a clause; empty if nothing is. Looks at ELF files
/// (cubins and code objects) and CUDA's fat binaries, whether all that their headers speak of is there:
/// libcuda crashes over a file that is cut short (driver 580). `other_forms`: what is neither is left to the
/// vendor.
std::string image_problem(std::string_view image, bool other_forms);

} // namespace ferry::driver
