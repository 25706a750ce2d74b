// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_program.hpp"

#include <ferry/error.hpp>
#include <ferry/program.hpp>

#include <string>

namespace ferry::opencl {

class OpenclDevice;

struct DriverText {
    std::string text; ///< Ferry's own lines, then the source.
    /// Limits by the private memory of kernels, for drivers that end the process if it is too large. Kernels
    /// of texts that the front end does not take have none.
    GroupLimits group_limits;
};

/// The text passed to the driver for OpenCL C. Throws Error (build_failed) for sources that the front end
/// rejects, unless they are for OpenCL drivers only, and for those that drivers misread or crash on.
DriverText driver_text(const Source& source, const BuildOptions& options, const OpenclDevice& device);
std::string option_text(const BuildOptions& options);

/// The error for a source that drivers misread or crash on. `log` begins with its place.
Error refused_text(const std::string& log);

} // namespace ferry::opencl
