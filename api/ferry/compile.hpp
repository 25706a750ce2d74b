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

/// What compile() does. An empty list stands for all there are.
struct CompileRequest {
    std::vector<Backend> backends{};
    /// "sm_90", "gfx90a", and for Backend::opencl part of a device's name. Default: the oldest that NVRTC
    /// knows ("compute_75" gives PTX, "sm_90" machine code), gfx90a, every OpenCL device, this processor.
    std::vector<std::string> architectures{};
    /// Where no architecture is named for CUDA: machine code for the oldest processor that NVRTC knows,
    /// "sm_75", which tells registers, instead of PTX.
    bool machine_code = false;
    BuildOptions options{};
};

/// How one compiler took a text.
struct CompileResult {
    Backend backend{};
    std::string architecture;
    std::string compiler;    ///< which one, "NVRTC 13.0 (libnvrtc.so.13)"; or why there is none
    bool available = false;  ///< there is such a compiler on this machine
    bool translated = false; ///< the translator took the text; true for OpenCL, which has none
    bool ok = false;         ///< the compiler took the text
    std::string diagnostics; ///< its messages, in terms of the text; may be there though it is ok
    std::string translation; ///< the C++ it was given; empty for OpenCL, which gets the text itself
    Language language{};     ///< of `binary`
    std::vector<std::byte> binary;
    std::vector<KernelInfo> kernels; ///< with registers and local memory where the compiler tells
};

/// Compiles a text of OpenCL C with every compiler of this machine. Needs no device for CUDA, HIP and the
/// host: NVRTC and hipRTC compile for architectures that are not there. Blocking; some tenths of a second for
/// each compiler. Errors of the text are results and not exceptions. AMD's compiler and OpenCL drivers with
/// LLVM in them (PoCL, Mesa) may not stand one another in one process, and end it: name one of the two in
/// `backends`, and ask for the other in a process of its own, as the `ferry` tool and ferry_add_kernels() do.
FERRY_API std::vector<CompileResult> compile(const Source& opencl_c, const CompileRequest& request = {});

/// The result of check().
struct CheckResult {
    bool ok = false;                 ///< the text has no error
    std::string diagnostics;         ///< errors and warnings with file, line, column and the line itself
    std::vector<KernelInfo> kernels; ///< names, parameters and required group sizes; empty if not ok
};

/// Checks a text of OpenCL C without any compiler, driver or device: syntax, types and the rules of the
/// language. The messages do not depend on the backend. `options`: defines, include directories, headers, and
/// -D and -I in `options.opencl`. Takes about a millisecond for a file of ordinary size; nothing is cached.
/// Blocking; reads the files that the text includes. Errors of the text are results and not exceptions.
/// Throws Error: invalid_argument for options that compile() does not take. Thread-safe.
FERRY_API CheckResult check(const Source& opencl_c, const BuildOptions& options = {});

/// The text with its #include lines replaced by the files they name, as far as they are found in
/// `options.headers`, the options' directories (or beside the including file, for quotes), and the options'
/// definitions as #define lines in front: those of the members and of the -D and -I in `options.opencl`.
/// Lines keep their numbers by #line, for __LINE__ and in the messages of OpenCL drivers; those of the other
/// backends name the flattened text and its lines. For embedding. Throws Error: build_failed if a file
/// includes itself without end, or if a line names its file by a macro, but not in a branch that is left out
/// whatever is defined besides; invalid_argument for options that compile() does not take.
FERRY_API std::string flatten(const Source& opencl_c, const BuildOptions& options = {});

} // namespace ferry
