// SPDX-License-Identifier: Apache-2.0
#include "weak_number.hpp"

namespace weak {
using weak_number::as_double;
using weak_number::as_float;
using weak_number::as_uint;
using weak_number::as_ulong;
using weak_number::clz;
using weak_number::Double;
using weak_number::Float;
using weak_number::uint;
using weak_number::ulong;
using weak_number::Weak;
#define float Weak<Float>
#define double Weak<Double>
#include "math.cl"
#undef float
#undef double
} // namespace weak

namespace library = weak;
using weak_number::Double;
using weak_number::Float;
#include "functions.hpp"

std::span<const math_library::Function> math_library::weak_functions() {
    return functions;
}
