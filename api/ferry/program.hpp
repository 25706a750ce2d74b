// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/device.hpp>
#include <ferry/embedded_kernels.hpp>
#include <ferry/export.hpp>
#include <ferry/kernel.hpp>
#include <ferry/source.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

namespace detail {
class ProgramState;
}

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
    /// - unsupported: on the host device and on OpenCL and Vulkan devices of kind cpu, because kernels run in
    /// this
    ///   process there, and for a variant in another language.
    /// - invalid_argument: include_directories, cuda, hip, and options in opencl other than -D and -cl-.
    /// - build_failed, with the place: an #include that names no header of BuildOptions::headers, #line,
    ///   inline assembly, and pragmas and attributes that docs/kernel-language.md does not list as accepted.
    ///
    /// Macros that only the driver defines count as undefined in #if and #ifdef. The time and the memory that
    /// a kernel uses are not limited.
    bool untrusted = false;
    /// True if OpenCL C sources are meant for OpenCL drivers only, for example because they use a vendor's
    /// pragmas or attributes. Default: false. OpenCL drivers then get them without the check of directives,
    /// pragmas, attributes and words before kernels; only recursion, zero bytes and names that crash a driver
    /// are still errors. On other devices an OpenCL C variant does not fit. Sources in other languages are
    /// not affected. Building throws Error (invalid_argument) together with `untrusted`.
    bool opencl_only = false;
};

/// Compiled code for one device. A handle that is cheap to copy. Thread-safe.
class FERRY_API Program {
public:
    Program() noexcept = default;

    /// Builds the best of `variants` for the device. The order of preference is: a binary for its
    /// architecture, source in its own language, OpenCL C translated for its compiler, an intermediate form
    /// (PTX, SPIR-V), a binary of unknown origin. Blocking. A first compilation can take a second; compiled
    /// code is kept on disk (docs/environment.md).
    ///
    /// Throws Error: unsupported (no variant fits; the message gives the reason for each), build_failed (the
    /// selected variant does not build; log() and the message have the compiler's messages). After a failed
    /// build, the next variant is not tried, because a broken program must be an error and not a slower
    /// program.
    Program(const Device& device, std::vector<Source> variants, const BuildOptions& options = {},
            SourceLocation where = SourceLocation::current());
    Program(const Device& device, Source source, const BuildOptions& options = {},
            SourceLocation where = SourceLocation::current());
    /// Builds the kernels that ferry_add_kernels() embedded in the program.
    Program(const Device& device, const EmbeddedKernels& kernels, const BuildOptions& options = {},
            SourceLocation where = SourceLocation::current());
    /// Builds an OpenCL C source.
    Program(const Device& device, std::string_view opencl_c, const BuildOptions& options = {},
            SourceLocation where = SourceLocation::current());

    /// The entry point of this name. Declare it extern "C" in CUDA C++ and HIP C++. Throws Error: not_found
    /// (the message lists the most similar kernel names), unsupported (the kernel has more parameters than
    /// max_arguments).
    Kernel kernel(std::string_view name, SourceLocation where = SourceLocation::current()) const;
    /// The names of all entry points, in the order of the program. Empty if the backend cannot list them.
    std::vector<std::string> kernel_names(SourceLocation where = SourceLocation::current()) const;

    Device device(SourceLocation where = SourceLocation::current()) const;
    /// The language of the selected variant.
    Language language(SourceLocation where = SourceLocation::current()) const;
    /// One line of text: the selected variant, and the reason against each other one.
    const std::string& explain(SourceLocation where = SourceLocation::current()) const;
    /// The compiler's messages of a successful build. Often empty.
    const std::string& log(SourceLocation where = SourceLocation::current()) const;
    /// The machine code (or PTX), for Source::cubin, ::ptx, ::code_object or ::opencl_binary on a device of
    /// the same model. Throws Error (unsupported) for Language::host.
    std::vector<std::byte> binary(SourceLocation where = SourceLocation::current()) const;

    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    std::shared_ptr<detail::ProgramState> state_;
};

} // namespace ferry
