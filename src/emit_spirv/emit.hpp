// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// SPIR-V for OpenCL drivers, from the typed tree of a text.
namespace ferry::emit_spirv {

/// A kernel that cannot be emitted.
struct Refused {
    std::string_view kernel;
    std::uint32_t token = 0; ///< of the construct at fault
    std::string message;     ///< a sentence without the final stop
};

struct Emitted {
    std::vector<std::uint32_t> words;          ///< a whole module; of the kernels that are not refused
    std::vector<opencl_c::FunctionId> kernels; ///< those in the module, in order of the text
    std::vector<Refused> refused;
};

/// Emits every kernel of a checked text. A construct that has no SPIR-V refuses the kernels that use it.
/// Thread-safe: it has no state outside its argument.
Emitted emit(const opencl_c::Tree& tree);

} // namespace ferry::emit_spirv
