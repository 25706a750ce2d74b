// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/compile.hpp>

#include <string>
#include <vector>

namespace tool {

struct Command {
    std::string file;
    std::string folder;   ///< The folder for saxpy.cl.hpp, saxpy.cl.cpp and saxpy.cl.LEVEL.cpp.
    std::string depfile;  ///< Receives the list of files that the outputs depend on. Empty: none.
    std::string variable; ///< In namespace kernels.
    std::string symbol;   ///< The prefix of the functions of the compiled kernels.
    std::vector<std::string> host_levels; ///< "v4", "v3", "sve2", "sve", "base".
    ferry::CompileRequest request;
};
/// Checks the file with every available compiler and writes the sources. Returns false if one rejects the
/// file; its messages are then on standard error. Throws std::exception if a file cannot be read or written.
bool embed(const Command& command);

} // namespace tool
