// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/tree.hpp"

#include <cstddef>

// Built-in functions that are written in OpenCL C: the files of library/.
namespace ferry::emit_spirv {

/// A part of a file. The build generates the pieces (base/embed_texts.cmake), those of a file in their order.
struct LibraryPiece {
    const char* file = nullptr;
    const char* text = nullptr;
};
extern const LibraryPiece library_pieces[];
extern const std::size_t library_piece_count;

/// The tree of all files that end in .cl. They are checked at the first call. The function fy_sin(), for
/// example, is sin() of a float, and fy_sin_d() that of a double. Thread-safe.
const opencl_c::Tree& library();

/// The function of the library with this name. 0 if no function has it.
opencl_c::FunctionId library_function(std::string_view name);

} // namespace ferry::emit_spirv
