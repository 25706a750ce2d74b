// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tool {

/// They throw std::runtime_error with the file and the problem.
std::string read_file(const std::string& path);
/// Leaves a file with the same bytes unchanged, so that its dependants are not rebuilt.
void write_file(const std::string& path, std::string_view bytes);

} // namespace tool
