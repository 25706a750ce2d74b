// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/compile.hpp>

namespace tool {

enum class Checked { right, wrong, by_none };

/// Prints what a compiler said; false if it does not take the text.
bool report(const ferry::CompileResult& result);

/// Every OpenCL device of this machine compiles it, in a process of its own: hipRTC and some OpenCL drivers
/// each bring a copy of LLVM, and the second one ends the process. To be called before any compiler. Throws
/// std::exception if a driver ends that process, or if drivers cannot be asked.
Checked check_by_opencl(const ferry::Source& source, ferry::CompileRequest request);

} // namespace tool
