// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION // else the library of another version's
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <string_view>

#define FERRY_OPENCL_12_EXPORT extern "C" __attribute__((visibility("default")))

/// The function of that name in the machine's OpenCL library. Ends the process if there is none.
void* real_function(const char* name);

/// The next call of one of these functions, which commas separate, calls exit(). None: no call does.
void ask_for_exit(std::string_view names, int status);
/// Calls exit() if that was asked of this function.
void exit_if_asked(const char* name);

/// The same with the type from the header. It is looked up once.
#define FERRY_OPENCL_12_REAL(name)                                                                     \
    [] {                                                                                               \
        static auto* const real_of_this = reinterpret_cast<decltype(&::name)>(::real_function(#name)); \
        ::exit_if_asked(#name);                                                                        \
        return real_of_this;                                                                           \
    }()
