// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/compile.hpp>

namespace tool {

enum class Checked { right, wrong, by_none };

/// Prints a compiler's messages. Returns false if it rejects the text.
bool report(const ferry::CompileResult& result);

/// Compiles the text with every OpenCL device of this machine, in a separate process: hipRTC and some OpenCL
/// drivers each contain a copy of LLVM, and the second copy ends the process. Call before any compiler.
/// Throws std::exception if a driver ends that process, or if drivers cannot be queried.
Checked check_by_opencl(const ferry::Source& source, ferry::CompileRequest request);

} // namespace tool
