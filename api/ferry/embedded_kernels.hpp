// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source.hpp>

#include <span>
#include <string_view>

namespace ferry {

/// Code that was compiled from a kernel file when the program was built.
struct EmbeddedBinary {
    Language language{};           ///< Language::ptx, Language::code_object or Language::spirv.
    std::string_view architecture; ///< "sm_75", "gfx90a", "vulkan"
    std::string_view bytes;
};

/// An OpenCL C file that the CMake function ferry_add_kernels() embeds in a program: its source and the code
/// compiled from it. `ferry_add_kernels(app saxpy.cl)` generates the header "saxpy.cl.hpp" with the constant
/// `kernels::saxpy_cl`.
///
/// `Program{device, kernels::saxpy_cl}` selects the best form for the device: the source if the device's
/// driver has a compiler for it, otherwise compiled code. Processors without a driver run code that the
/// program's own compiler generated, so they need no compiler at run time. The constant is initialised before
/// main().
struct EmbeddedKernels {
    std::string_view name; ///< "saxpy.cl"
    std::string_view text; ///< OpenCL C source. Its includes and the definitions of the build are expanded.
    /// The kernels compiled for processors, best first. `usable` reports whether this processor can run them.
    struct HostCode {
        bool (*usable)() = nullptr;
        const void* (*module)() = nullptr;
    };
    std::span<const HostCode> host;
    std::span<const EmbeddedBinary> binaries;
    /// True if all forms allow launches with a Grid::offset: ferry_add_kernels(... GLOBAL_OFFSETS).
    bool global_offsets = false;

    /// All forms, for a Program with additional variants.
    FERRY_API std::vector<Source> sources() const;
};

} // namespace ferry
