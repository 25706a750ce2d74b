// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialect.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

// OpenCL C 1.2's vocabulary in C++: types, vectors, built-in functions and constants. The texts are in
// prelude/*.inc (core.inc describes the format). Names with thousands of variants (float4,
// convert_uchar4_sat_rte, vload8) are generated from their spelling.
namespace ferry::translate {

/// The C++ text that declares these names and operators of vectors, and little else, because a compiler reads
/// all of it for every program. Words are in any order, with or without repetitions; unknown ones do no harm.
/// The words `double`, half_arithmetic and half_vectors include the functions on double and half. The text,
/// and the user's text after it, belong into `namespace fy { }`, with FY_CUDA, FY_HIP or FY_HOST defined. It
/// leaves macros with the prefix FY_, and vec_step.
std::string prelude(Dialect dialect, std::span<const std::string_view> words);
inline constexpr std::string_view half_arithmetic = "fy_half";
inline constexpr std::string_view half_vectors = "fy_half_vectors";

/// Whether the prelude declares this name.
bool prelude_provides(Dialect dialect, std::string_view name);
/// Whether the function also takes half.
bool prelude_provides_for_half(Dialect dialect, std::string_view name);

} // namespace ferry::translate
