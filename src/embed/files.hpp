// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tool {

/// They throw std::runtime_error naming the file and what is wrong.
std::string read_file(const std::string& path);
/// Does not touch a file that has these bytes already, so that what is made of it is not made again.
void write_file(const std::string& path, std::string_view bytes);

} // namespace tool
