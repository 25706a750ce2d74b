// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/compile.hpp>

#include <string>
#include <vector>

namespace tool {

struct Command {
    std::string file;
    std::string folder;   ///< where saxpy.cl.hpp, saxpy.cl.cpp and saxpy.cl.LEVEL.cpp are written
    std::string depfile;  ///< is written with the files that the outputs are made from; empty: none is
    std::string variable; ///< in namespace kernels
    std::string symbol;   ///< the functions of the compiled kernels begin with it
    std::vector<std::string> host_levels; ///< "v4", "v3", "sve2", "sve", "base"
    ferry::CompileRequest request;
};
/// Checks the file with every compiler there is and writes the sources. False if one does not take the file;
/// its messages are on the standard error then. Throws std::exception if a file cannot be read or written.
bool embed(const Command& command);

} // namespace tool
