// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/backend.hpp>
#include <ferry/export.hpp>
#include <ferry/kernel.hpp>
#include <ferry/program.hpp>
#include <ferry/source.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ferry {

/// Options of compile(). An empty list means all.
struct CompileRequest {
    /// If BuildOptions::opencl_only is set, the default is Backend::opencl, and others are an error.
    std::vector<Backend> backends{};
    /// "sm_90", "gfx90a", or for Backend::opencl a part of a device's name. Default: the oldest architecture
    /// that NVRTC supports ("compute_75" gives PTX, "sm_90" machine code), gfx90a, every OpenCL device, and
    /// this processor.
    std::vector<std::string> architectures{};
    /// If no CUDA architecture is given: compile machine code for the oldest GPU that NVRTC supports
    /// ("sm_75") instead of PTX. Machine code reports register counts.
    bool machine_code = false;
    BuildOptions options{};
};

/// The result of one compiler.
struct CompileResult {
    Backend backend{};
    std::string architecture;
    std::string compiler;    ///< The compiler, "NVRTC 13.0 (libnvrtc.so.13)", or the reason why there is
                             ///< none.
    bool available = false;  ///< True if this machine has such a compiler.
    bool translated = false; ///< True if the translator accepted the source. Always true for OpenCL, which
                             ///< needs no translation.
    bool ok = false;         ///< True if the compiler accepted the source.
    std::string diagnostics; ///< Messages of the compiler, in terms of the source. May be present if `ok` is
                             ///< true.
    std::string translation; ///< The generated C++. Empty for OpenCL, which compiles the source itself.
    Language language{};     ///< The language of `binary`.
    std::vector<std::byte> binary;
    std::vector<KernelInfo> kernels; ///< With register and local memory use if the compiler reports it.
};

/// Compiles an OpenCL C source with every compiler of this machine. Needs no device for CUDA, HIP and the
/// host, because NVRTC and hipRTC also compile for architectures that are not present. Blocking: some tenths
/// of a second for each compiler. Errors in the source are results, not exceptions.
///
/// AMD's compiler and OpenCL drivers that contain LLVM (PoCL, Mesa) can conflict in one process and end it.
/// Put only one of the two in `backends`, and use another process for the other one, as the `ferry` tool and
/// ferry_add_kernels() do.
FERRY_API std::vector<CompileResult> compile(const Source& opencl_c, const CompileRequest& request = {});

/// The result of check().
struct CheckResult {
    bool ok = false;                 ///< True if the source has no error.
    std::string diagnostics;         ///< Errors and warnings with file, line, column and the source line.
    std::vector<KernelInfo> kernels; ///< Names, parameters and required group sizes. Empty if `ok` is false.
};

/// Checks an OpenCL C source without any compiler, driver or device: syntax, types and the rules of the
/// language. The messages do not depend on the backend. `options` takes definitions, include directories,
/// headers, and -D and -I in `options.opencl`.
///
/// Blocking: about a millisecond for a file of ordinary size. Reads the included files; caches nothing.
/// Errors in the source are results, not exceptions. Throws Error (invalid_argument) for options that
/// compile() does not take. Thread-safe.
FERRY_API CheckResult check(const Source& opencl_c, const BuildOptions& options = {});

/// Returns the source with its #include lines replaced by the files they name, for embedding. A file is
/// replaced if it is found in `options.headers` or the include directories of `options`, or, for an include
/// with quotes, next to the including file. Definitions of `options`, from its members and from -D and -I in
/// `options.opencl`, become #define lines at the start.
///
/// Lines keep their numbers through #line, for __LINE__ and for messages of OpenCL drivers. Messages of the
/// other backends name the flattened source and its lines.
///
/// Throws Error: build_failed (a file includes itself without end, or a line names its file through a macro,
/// unless its branch is excluded whatever else is defined), invalid_argument (options that compile() does not
/// take).
FERRY_API std::string flatten(const Source& opencl_c, const BuildOptions& options = {});

} // namespace ferry
