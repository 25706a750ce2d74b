// SPDX-License-Identifier: Apache-2.0
#pragma once

// FERRY_INJECT_EACH(F) calls F(name, function type) for each row of the project's own symbol tables.

#ifdef FERRY_INJECT_OPENCL
#include "opencl/opencl_api.hpp"

#include <type_traits>
#elif defined FERRY_INJECT_CUDA
#include "cuda/cuda_types.hpp"
#define FERRY_ROWS_CUDA 1
#else
#include "hip/hip_types.hpp"
#define FERRY_ROWS_CUDA 0
#endif

namespace ferry::inject {

#ifdef FERRY_INJECT_OPENCL
#define FERRY_OPENCL_REQUIRED(name) using type_of_##name = std::remove_pointer_t<decltype(&::name)>;
#define FERRY_OPENCL_OPTIONAL(name, version) FERRY_OPENCL_REQUIRED(name)
#define FERRY_OPENCL_EXTENSION(name, token) // found through the platform, which is forwarded
#include "opencl/symbols.def"
#undef FERRY_OPENCL_REQUIRED
#undef FERRY_OPENCL_OPTIONAL
#undef FERRY_OPENCL_EXTENSION
#else
#if FERRY_ROWS_CUDA
using VendorTypes = cuda::Types;
#else
using VendorTypes = hip::Types;
#endif
/// The types used in the rows.
struct Rows : VendorTypes {
#define FERRY_EACH_ROW(tier, member, name, result, parameters) using type_of_##name = result parameters;
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) \
    using type_of_##name = result parameters;
#include "tests/doubles/each_row.inc"
};
#endif

} // namespace ferry::inject
