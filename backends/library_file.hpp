// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry::backend {

/// Why the loader is not to open that path: "it is a pipe", which it would wait for. Empty if it is a file,
/// or if there is nothing there.
std::string kind_problem(const std::string& path);

/// Why the file of that path can be no library of this process: it is none, or one for another processor.
/// Empty if it could be one, or cannot be read. The loader passes over a file for another processor and then
/// calls it missing.
std::string file_problem(const std::string& path);

} // namespace ferry::backend
