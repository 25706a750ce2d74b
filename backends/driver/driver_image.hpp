// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::driver {

/// A problem of the outer form of a binary, as a clause. Empty if there is none. Checks ELF files (cubins and
/// code objects) and CUDA's fat binaries: all parts that their headers describe must be present, because
/// libcuda crashes on a truncated file (driver 580). `other_forms`: leaves other formats to the vendor.
std::string image_problem(std::string_view image, bool other_forms);

} // namespace ferry::driver
