// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::backend {

/// The reason why the loader must not open this path: "it is a pipe", on which it would block. Empty if it is
/// a file, or if there is nothing.
std::string kind_problem(const std::string& path);

/// The reason why the file cannot be a library of this process: it is not a library, or one for another
/// processor. Empty if it could be one, or cannot be read. The loader ignores a file for another processor
/// and then reports it as missing.
std::string file_problem(const std::string& path);

/// Whether these bytes are a shared library without a missing end: its table of sections is written last.
bool is_whole_library(std::string_view bytes);

} // namespace ferry::backend
