// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../hip_cpu/code_object.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace ferry_double {

/// The kernels of a PTX text with the sizes of their parameters. Pointers are found in the source, because
/// PTX marks them only sometimes. Nothing if a kernel of the PTX is not in the source under that name.
std::optional<std::vector<KernelDescription>> kernels_of(std::string_view ptx, std::string_view source);

} // namespace ferry_double
