// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/program.hpp>

#include <string>

namespace ferry::detail {

class DeviceState;

/// The replacement for a source with BuildOptions::untrusted.
struct Untrusted {
    Source source;
    BuildOptions options; ///< Without the parts that are expanded into the source.
};

/// Throws Error:
/// - invalid_argument: options that name files, or that the compilers get unchanged;
/// - unsupported: a source that is not OpenCL C;
/// - build_failed: a text that may do more than compute.
Untrusted untrusted(const Source& source, const BuildOptions& options, const DeviceInfo& device);
/// Throws Error (unsupported) if kernels run in this process.
void check_runs_untrusted(const DeviceState& device, const SourceLocation& where);

} // namespace ferry::detail
