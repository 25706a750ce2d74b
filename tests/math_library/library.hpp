// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../kernels/scalar.hpp"

#include <span>
#include <string_view>

namespace math_library {

/// A function of the library for float and double. Its name is that of the row in
/// tests/kernels/builtin_math.cpp.
struct Function {
    std::string_view name;
    void (*call)(kernels::Type type, const kernels::Value* in, kernels::Value* out);
};

/// The host's arithmetic, without contraction.
std::span<const Function> exact_functions();
/// Products and sums are contracted. Needs a processor with FMA.
std::span<const Function> contracted_functions();
/// Divisions and square roots have an error of some units.
std::span<const Function> weak_functions();

} // namespace math_library
