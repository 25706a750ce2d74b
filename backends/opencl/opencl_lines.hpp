// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::opencl {

/// NVIDIA's compiler reports "<kernel>:25:12", counts all lines that it was given, and ignores #line. This
/// function inserts the file and line given by the #line lines of `text`. A log without such places is
/// unchanged.
std::string in_users_lines(const std::string& log, std::string_view text);

} // namespace ferry::opencl
