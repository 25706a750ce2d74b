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

/// How source is compiled. Binaries ignore it.
struct BuildOptions {
    /// "NAME" or "NAME=value", the same for every language. What ferry_add_kernels() compiled without them is
    /// not taken then: the device needs a compiler.
    std::vector<std::string> defines{};
    std::vector<std::string> include_directories{};
    /// Headers that need no file, name and text: #include "name" and <name> find them before any directory,
    /// on every device. On OpenCL devices the name must stand in the line itself, not come out of a macro.
    std::map<std::string, std::string> headers{};
    /// Further options, given to the vendor's compiler as they are, for the language they are meant for.
    /// "-cl-fast-relaxed-math"; -cl-std=CL1.2 is there unless one is given. Understood for OpenCL C on every
    /// device: docs/kernel-language.md says which options have no effect where OpenCL C is translated; an
    /// unknown one is an error there.
    std::string opencl{};
    std::string cuda{}; ///< separated by blanks; --gpu-architecture is chosen unless one is given
    std::string hip{};
    /// Whether launches of OpenCL C may have a Grid::offset. Without it none may, on any device. On CUDA and
    /// HIP kernels get 24 bytes more of arguments and add them where they ask for a global id; the kernels of
    /// binary() and of native handles then have one more parameter, three 64-bit numbers. SPIR-V and OpenCL's
    /// binaries take offsets always, the vendors' other languages never, and give way to a variant that does.
    bool global_offsets = false;
    /// The kernel text, BuildOptions::headers included, comes from somebody who is not trusted
    /// (docs/security.md). Default: false. If true, only OpenCL C is taken. Ferry expands all macros and
    /// headers itself, and the driver's compiler gets the result. Building throws Error:
    /// - unsupported on the host device and on OpenCL devices of kind cpu, because kernels run in this
    /// process there,
    ///   and for a variant in another language;
    /// - invalid_argument for include_directories, cuda, hip, and options in opencl other than -D and -cl-;
    /// - build_failed, with the place, for an #include that names no header of BuildOptions::headers, #line,
    ///   inline assembly, and pragmas and attributes that docs/kernel-language.md lists as refused or not at
    ///   all.
    /// Macros that only the driver defines count as undefined in #if and #ifdef. It does not bound the time
    /// or the memory that a kernel takes.
    bool untrusted = false;
};

/// Compiled code for one device. A handle, cheap to copy. Thread-safe.
class FERRY_API Program {
public:
    Program() noexcept = default;

    /// Takes the best of `variants` for the device, in this order: a binary for its architecture, source
    /// in its own language, OpenCL C translated for its compiler, an intermediate form (PTX, SPIR-V), a
    /// binary of unknown origin. Builds it; blocking (a first compile can take a second; compiled code is
    /// kept on disk, see docs/environment.md).
    ///
    /// Throws Error: unsupported if no variant fits, saying for each why not; build_failed if the chosen
    /// one does not build, with the compiler's words in log() and in the message. It does not go on to
    /// the next variant then: a broken program is an error, not a slower program.
    Program(const Device& device, std::vector<Source> variants, const BuildOptions& options = {},
            SourceLocation where = SourceLocation::current());
    Program(const Device& device, Source source, const BuildOptions& options = {},
            SourceLocation where = SourceLocation::current());
    /// What ferry_add_kernels() put into the program.
    Program(const Device& device, const EmbeddedKernels& kernels, const BuildOptions& options = {},
            SourceLocation where = SourceLocation::current());
    /// OpenCL C text.
    Program(const Device& device, std::string_view opencl_c, const BuildOptions& options = {},
            SourceLocation where = SourceLocation::current());

    /// The entry point of that name. For CUDA C++ and HIP C++ declare it extern "C".
    /// Throws Error: not_found, naming the nearest kernels there are; unsupported (it has more parameters
    /// than max_arguments).
    Kernel kernel(std::string_view name, SourceLocation where = SourceLocation::current()) const;
    /// Every entry point, in the order of the program; empty where the backend cannot list them.
    std::vector<std::string> kernel_names(SourceLocation where = SourceLocation::current()) const;

    Device device(SourceLocation where = SourceLocation::current()) const;
    /// The language of the variant that was taken.
    Language language(SourceLocation where = SourceLocation::current()) const;
    /// One line for people: which variant was taken and why each other one was not.
    const std::string& explain(SourceLocation where = SourceLocation::current()) const;
    /// The compiler's messages of a build that succeeded; often empty.
    const std::string& log(SourceLocation where = SourceLocation::current()) const;
    /// The machine code (or PTX), for Source::cubin, ::ptx, ::code_object or ::opencl_binary on a like
    /// device. Throws Error (unsupported) for Language::host.
    std::vector<std::byte> binary(SourceLocation where = SourceLocation::current()) const;

    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    std::shared_ptr<detail::ProgramState> state_;
};

} // namespace ferry
