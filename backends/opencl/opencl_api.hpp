// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/library.hpp"

#include <string>
#include <string_view>
#include <vector>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue, all that a 1.2 driver has
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

namespace ferry::opencl {

/// The functions as one device has them: those it lacks are null, though a loader exports them.
struct Api {
#define FERRY_OPENCL_REQUIRED(name) decltype(&::name) name = nullptr;
#define FERRY_OPENCL_OPTIONAL(name, version) decltype(&::name) name = nullptr;
#define FERRY_OPENCL_EXTENSION(name, token) name##_fn name = nullptr;
#include "symbols.def"
#undef FERRY_OPENCL_REQUIRED
#undef FERRY_OPENCL_OPTIONAL
#undef FERRY_OPENCL_EXTENSION
};

/// Fills everything the library exports and returns the names of required functions that it does not.
std::vector<std::string> load(Api& api, const backend::Library& library);

/// The part of `api` that a device of this version (12, 20, 21, 30, ...) and these extensions may be called
/// with.
Api restrict_to(const Api& api, cl_platform_id platform, int version, std::string_view extensions);

/// Whether a list separated by blanks holds that very word.
bool has_word(std::string_view list, std::string_view word);

} // namespace ferry::opencl
