// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>

#include <map>
#include <string>
#include <vector>

namespace ferry {

/// Options for compiling source. Binaries ignore them.
struct BuildOptions {
    /// "NAME" or "NAME=value", the same for every language. With definitions, code that ferry_add_kernels()
    /// compiled is not used, so the device needs a compiler.
    std::vector<std::string> defines{};
    std::vector<std::string> include_directories{};
    /// Headers without a file: name and text. #include "name" and #include <name> look here before any
    /// directory, on every device. On OpenCL devices the #include line must contain the name itself, not a
    /// macro.
    std::map<std::string, std::string> headers{};
    /// More options, passed unchanged to the vendor's compiler for the language in the member's name.
    /// Example: "-cl-fast-relaxed-math". -cl-std=CL1.2 is the default. Every device accepts these options for
    /// OpenCL C. docs/kernel-language.md lists the options that have no effect if OpenCL C is translated; an
    /// unknown option is an error then.
    std::string opencl{};
    std::string cuda{}; ///< Separated by spaces. Default: --gpu-architecture of the device.
    std::string hip{};
    /// Whether launches of OpenCL C kernels may have a Grid::offset, on every device. Default: false. CUDA
    /// and HIP kernels then get 24 more bytes of arguments and add the offset when they query a global id.
    /// Kernels in binary() and in native handles then have one more parameter, three 64-bit numbers. SPIR-V
    /// and OpenCL binaries always accept offsets. The vendors' own languages never do, so a variant that does
    /// is preferred.
    bool global_offsets = false;
    /// True if the kernel source, BuildOptions::headers included, comes from an untrusted author
    /// (docs/security.md). Default: false. If true, only OpenCL C is accepted, and Ferry expands all macros
    /// and headers itself before the driver's compiler gets the result. Building throws Error:
    ///
    /// - unsupported: on the host device, because kernels run in this process there. The same holds for
    ///   OpenCL and Vulkan devices of kind cpu.
    ///   A variant in another language is unsupported, too.
    /// - invalid_argument: include_directories, cuda, hip, and options in opencl other than -D and -cl-.
    /// - build_failed, with the place: an #include that names no header of BuildOptions::headers, #line, and
    ///   everything that docs/kernel-language.md rejects, such as inline assembly and unknown attributes.
    ///
    /// Macros that only the driver defines count as undefined in #if and #ifdef. The time and the memory that
    /// a kernel uses are not limited.
    bool untrusted = false;
    /// True if OpenCL C sources are meant for OpenCL drivers only, for example because they use a vendor's
    /// functions, pragmas or attributes. Default: false. OpenCL drivers then get them without the check by
    /// the rules of docs/kernel-language.md; only recursion, zero bytes and names that crash a driver are
    /// still errors. On other devices an OpenCL C variant does not fit. Sources in other languages are
    /// not affected. Building throws Error (invalid_argument) together with `untrusted`.
    bool opencl_only = false;
};

} // namespace ferry
