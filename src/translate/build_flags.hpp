// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "preprocess.hpp"

#include <ferry/program.hpp>

#include <string>
#include <vector>

namespace ferry::translate {

/// What BuildOptions say, for a compiler that is not OpenCL's: the options of clBuildProgram are understood.
struct BuildFlags {
    std::vector<std::string> defines;
    std::vector<std::string> include_directories;
    bool fast_math = false;   ///< -cl-fast-relaxed-math and what it stands for
    bool no_warnings = false; ///< -w
    bool unoptimised = false; ///< -cl-opt-disable
    std::string problem;      ///< a full sentence if an option is not understood
};

BuildFlags read_build_flags(const BuildOptions& options);

/// BuildOptions::headers for the preprocessor.
std::vector<MemoryHeader> memory_headers(const BuildOptions& options);

} // namespace ferry::translate
