// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>
#include <ferry/program.hpp>

#include <string>

namespace ferry::opencl {

class OpenclDevice;

/// What the driver gets of OpenCL C: Ferry's own lines, then the text. Throws Error (build_failed) for what
/// drivers read wrongly or crash over.
std::string build_text(const Source& source, const BuildOptions& options, const OpenclDevice& device);
std::string option_text(const BuildOptions& options);

/// The error of a text that the portable language does not take; `log` begins with its place.
Error refused_text(const std::string& log);

} // namespace ferry::opencl
