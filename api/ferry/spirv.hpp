// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/kernel.hpp>
#include <ferry/program.hpp>
#include <ferry/source.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ferry {

/// The drivers that take a module.
enum class SpirvTarget : std::uint8_t {
    opencl, ///< OpenCL drivers. Source::spirv() takes the module.
    vulkan, ///< Vulkan 1.2 drivers with buffer device addresses, 64-bit integers, and the features for the
            ///< types and sub-group functions that the text uses.
};

/// The result of compile_spirv().
struct SpirvResult {
    bool ok = false;                 ///< the text has no error and every kernel is in the module
    std::string diagnostics;         ///< errors and warnings with file, line, column and the line itself
    std::vector<std::byte> module;   ///< SPIR-V; empty after an error in the text, or without a kernel
    std::vector<KernelInfo> kernels; ///< those in the module: names, parameters and required group sizes
};

/// Compiles a text of OpenCL C to a SPIR-V module. Needs no compiler, driver or device; takes about a
/// millisecond for a file of ordinary size, and some milliseconds for Vulkan if a kernel uses mathematical
/// functions.
///
/// For OpenCL drivers: Physical64 addresses, version 1.0, or 1.3 if a kernel uses shuffles or ballots of
/// sub-groups. For Vulkan: compute shaders, version 1.5. Their parameters are push constants, and pointers to
/// global memory are 64-bit addresses; docs/design/compiler.md describes the interface.
///
/// A kernel that the target has no form for is left out with an error in `diagnostics`; the module holds the
/// others. These are kernels with images, and for Vulkan those with a construct that
/// docs/design/compiler.md lists as refused. The macro FERRY_OPENCL or FERRY_VULKAN is defined, and double is
/// a type. `options`: defines, include directories, headers, and -D and -I in `options.opencl`. Nothing is
/// cached. Blocking; reads the files that the text includes. Errors of the text are results and not
/// exceptions. Throws Error: invalid_argument for options that compile() does not take, and for
/// BuildOptions::opencl_only. Thread-safe.
FERRY_API SpirvResult compile_spirv(const Source& opencl_c, const BuildOptions& options = {},
                                    SpirvTarget target = SpirvTarget::opencl);

} // namespace ferry
