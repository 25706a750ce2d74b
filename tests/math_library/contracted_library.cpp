// SPDX-License-Identifier: Apache-2.0
#include "opencl_on_host.hpp"

namespace contracted {
using opencl_on_host::as_double;
using opencl_on_host::as_float;
using opencl_on_host::as_uint;
using opencl_on_host::as_ulong;
using opencl_on_host::clz;
using opencl_on_host::floor;
using opencl_on_host::rint;
using opencl_on_host::sqrt;
using opencl_on_host::uint;
using opencl_on_host::ulong;
#include "math.cl"
} // namespace contracted

namespace library = contracted;
using Float = float;
using Double = double;
#include "functions.hpp"

std::span<const math_library::Function> math_library::contracted_functions() {
    return functions;
}
