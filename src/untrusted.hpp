// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/program.hpp>

#include <string>

namespace ferry::detail {

class DeviceState;

/// What is built instead of a source with BuildOptions::untrusted.
struct Untrusted {
    Source source;
    BuildOptions options; ///< without what has gone into the source
};

/// Throws Error: invalid_argument for options that name files or that the compilers get as they are,
/// unsupported for a source that is not OpenCL C, build_failed for a text that may do more than compute.
Untrusted untrusted(const Source& source, const BuildOptions& options, Backend backend, bool fp64);
/// Throws Error (unsupported) where kernels run in this process.
void check_runs_untrusted(const DeviceState& device, const SourceLocation& where);

} // namespace ferry::detail
