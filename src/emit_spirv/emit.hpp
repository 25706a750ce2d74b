// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Emits SPIR-V from the typed tree of a text.
namespace ferry::emit_spirv {

/// The drivers that take the module.
enum class Flavour : std::uint8_t {
    opencl, ///< Kernels with 64-bit pointers.
    vulkan, ///< Compute shaders that take their launch as vulkan_interface.hpp describes.
};

/// The control of floating-point numbers that a Vulkan device promises in its properties, for numbers of 32
/// and of 64 bits. A module with a promise is invalid for a device without it.
struct FloatControls {
    struct Width {
        bool special = false;   ///< Zeros with a sign, infinities and NaN are kept.
        bool subnormal = false; ///< Subnormal numbers are kept.
        bool nearest = false;   ///< Results are rounded to the nearest number, ties to the even one.
    };
    Width of_32, of_64;
};

/// What a module for Vulkan depends on. The default is right for every device.
struct VulkanTarget {
    FloatControls floats;
    /// Mesa (22.3) compares a number that was extended from 32 to 64 bits with a constant as if it had no
    /// sign. True: the extension is written in a form that it leaves alone.
    bool hides_extension = true;
    /// NVIDIA (580) takes `a < b ? 0 : a - b` and `a + b < a ? most : a + b` for operations that limit their
    /// result. In kernels that divide 64-bit numbers or fractions, these are wrong for ulong, and for uchar
    /// and ushort if one number is a constant above half of the range. True: comparisons of such types in
    /// texts with a division are written in a form that it leaves alone.
    bool hides_limits = true;
    /// Mesa's llvmpipe (22.3) gives work-items that left a loop the values of later turns, if the loop has
    /// one end and that is not its head. True: such loops get another end, which is never taken.
    bool doubles_ends = true;
};

/// A kernel that cannot be emitted.
struct Refused {
    std::string_view kernel;
    std::uint32_t token = 0; ///< Position of the unsupported construct.
    std::string message;     ///< A sentence without the final period.
    bool image = false;      ///< The construct is an image or a sampler.
};

struct Emitted {
    std::vector<std::uint32_t> words;          ///< A complete module with all kernels that are not refused.
    std::vector<opencl_c::FunctionId> kernels; ///< The kernels in the module, in the order of the text.
    std::vector<Refused> refused;
};

/// Emits every kernel of a checked text. If a construct cannot be expressed in SPIR-V, the kernels that use
/// it are refused. `target` is for Vulkan. Thread-safe: it has no state outside its arguments.
Emitted emit(const opencl_c::Tree& tree, Flavour flavour, const VulkanTarget& target = {});

} // namespace ferry::emit_spirv
