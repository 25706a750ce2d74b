// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/build_options.hpp>
#include <ferry/device.hpp>
#include <ferry/embedded_kernels.hpp>
#include <ferry/export.hpp>
#include <ferry/kernel.hpp>
#include <ferry/source.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

namespace detail {
class ProgramState;
}

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
