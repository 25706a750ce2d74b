// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::opencl {

/// NVIDIA's compiler says "<kernel>:25:12", counting all lines that it was given; #line means nothing to it.
/// This puts the file and line there that the #line lines of `text` say. A log without such places stays as
/// it is.
std::string in_users_lines(const std::string& log, std::string_view text);

} // namespace ferry::opencl
