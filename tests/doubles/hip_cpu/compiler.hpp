// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../hip_types.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ferry_double {

struct Source {
    std::string text, name;
    std::vector<std::pair<std::string, std::string>> headers; ///< name, text
};

struct Compiled {
    int code = 0; ///< of CompilerCode
    std::string log;
    std::vector<char> object;
};

/// Compiles with the host's compiler; equal inputs are compiled once in a process, and once for all processes
/// that share the folder FERRY_DOUBLE_CACHE.
Compiled compile(const Source& source, const std::vector<std::string>& options);

} // namespace ferry_double
