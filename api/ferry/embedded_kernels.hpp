// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source.hpp>

#include <span>
#include <string_view>

namespace ferry {

/// Code that was compiled from a kernel file when the program was built.
struct EmbeddedBinary {
    Language language{};           ///< ptx or code_object
    std::string_view architecture; ///< "sm_75", "gfx90a"
    std::string_view bytes;
};

/// A file of OpenCL C as the CMake function ferry_add_kernels() puts it into a program: its text and what was
/// compiled from it. `ferry_add_kernels(app saxpy.cl)` gives the header "saxpy.cl.hpp" with the constant
/// `kernels::saxpy_cl`, and `Program{device, kernels::saxpy_cl}` takes the form that serves the device best:
/// the text where the device's driver has a compiler for it, compiled code where there is none. Processors
/// without any driver run the code that the program's own compiler made, so they need no compiler. Constant,
/// made before main().
struct EmbeddedKernels {
    std::string_view name; ///< "saxpy.cl"
    std::string_view text; ///< OpenCL C; its includes and the build's definitions are in it
    /// The kernels compiled for processors, best first; each says whether this one can run it.
    struct HostCode {
        bool (*usable)() = nullptr;
        const void* (*module)() = nullptr;
    };
    std::span<const HostCode> host;
    std::span<const EmbeddedBinary> binaries;
    /// All forms were made so that launches may have a Grid::offset: ferry_add_kernels(... GLOBAL_OFFSETS).
    bool global_offsets = false;

    /// All forms, for a Program that has further variants.
    FERRY_API std::vector<Source> sources() const;
};

} // namespace ferry
