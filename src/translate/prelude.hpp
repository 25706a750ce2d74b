// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialect.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

// OpenCL C 1.2's vocabulary in C++: types, vectors, builtin functions and constants. The texts stand in
// prelude/*.inc (core.inc says how); names that come by the thousand (float4, convert_uchar4_sat_rte, vload8)
// are made from their spelling.
namespace ferry::translate {

/// The C++ text that declares what a file with these words uses, and little else: a compiler reads all of it
/// for every program. Words are the spellings of the file's tokens in any order, repeated or not; unknown
/// ones do no harm. Identifiers are needed. With punctuators among them only the vector operators used come
/// in, else all; an unsuffixed floating constant brings the functions on double in, as `double` does. The
/// text, and the user's behind it, belong into `namespace fy { }`, with FY_CUDA, FY_HIP or FY_HOST defined.
/// It leaves macros whose names start with FY_, and vec_step.
std::string prelude(Dialect dialect, std::span<const std::string_view> words);

/// Whether the prelude declares this name.
bool prelude_provides(Dialect dialect, std::string_view name);

/// What the preprocessor must know before the first line, as lines of #define. The values are C++ in the
/// dialect. `fp64` says whether the device has double.
std::string predefined_macros(Dialect dialect, bool fp64);

} // namespace ferry::translate
