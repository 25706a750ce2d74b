// SPDX-License-Identifier: Apache-2.0
#pragma once

// FERRY_INJECT_EACH(F) calls F(name, function type) for each row of the project's own symbol tables.

#ifdef FERRY_INJECT_OPENCL
#include "opencl/opencl_api.hpp"

#include <type_traits>
#else
#include "hip/hip_types.hpp"
#endif

namespace ferry::inject {

#ifdef FERRY_INJECT_OPENCL
#define FERRY_OPENCL_REQUIRED(name) using type_of_##name = std::remove_pointer_t<decltype(&::name)>;
#define FERRY_OPENCL_OPTIONAL(name, version) FERRY_OPENCL_REQUIRED(name)
#define FERRY_OPENCL_EXTENSION(name, token) // found through the platform, which forwards
#include "opencl/symbols.def"
#undef FERRY_OPENCL_REQUIRED
#undef FERRY_OPENCL_OPTIONAL
#undef FERRY_OPENCL_EXTENSION
#else
/// The types that the rows name.
struct Rows : hip::Types {
#define FERRY_SYMBOL(tier, member, cuda, name, parameters) using type_of_##name = Result parameters;
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) using type_of_##name = result parameters;
#include "driver/symbols.def"
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, name, parameters) \
    using type_of_##name = CompilerResult parameters;
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, name, parameters) \
    using type_of_##name = const char* parameters;
#include "driver/compiler.def"
};
#endif

} // namespace ferry::inject
