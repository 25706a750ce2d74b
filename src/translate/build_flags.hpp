// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "preprocess.hpp"

#include <ferry/program.hpp>

#include <string>
#include <vector>

namespace ferry::translate {

/// The contents of BuildOptions for a compiler other than OpenCL's. The options of clBuildProgram are
/// supported.
struct BuildFlags {
    std::vector<std::string> defines;
    std::vector<std::string> include_directories;
    bool fast_math = false;   ///< -cl-fast-relaxed-math and the options that it includes.
    bool no_warnings = false; ///< -w
    bool unoptimised = false; ///< -cl-opt-disable
    bool debug = false;       ///< -g
    std::string problem;      ///< A full sentence if an option is not supported.
};

BuildFlags read_build_flags(const BuildOptions& options);

/// BuildOptions::headers for the preprocessor.
std::vector<MemoryHeader> memory_headers(const BuildOptions& options);

} // namespace ferry::translate
