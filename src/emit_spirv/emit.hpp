// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Emits SPIR-V for OpenCL drivers from the typed tree of a text.
namespace ferry::emit_spirv {

/// A kernel that cannot be emitted.
struct Refused {
    std::string_view kernel;
    std::uint32_t token = 0; ///< Position of the unsupported construct.
    std::string message;     ///< A sentence without the final period.
};

struct Emitted {
    std::vector<std::uint32_t> words;          ///< A complete module with all kernels that are not refused.
    std::vector<opencl_c::FunctionId> kernels; ///< The kernels in the module, in the order of the text.
    std::vector<Refused> refused;
};

/// Emits every kernel of a checked text. If a construct cannot be expressed in SPIR-V, the kernels that use
/// it are refused. Thread-safe: it has no state outside its argument.
Emitted emit(const opencl_c::Tree& tree);

} // namespace ferry::emit_spirv
