// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_api.hpp"
#include "plausible.hpp"

#include <ferry/error.hpp>

#include <string>
#include <string_view>

namespace ferry::opencl {

/// "CL_OUT_OF_RESOURCES"; empty for a number that has no name.
std::string_view code_name(cl_int code) noexcept;
/// What kind of error an OpenCL code is, where the call itself says nothing better.
Code portable_code(cl_int code) noexcept;

/// The message is "WHAT: CALL returned NUMBER (NAME)", or without WHAT where the front says it. `what` is a
/// clause that starts with the thing at fault.
Error vendor_error(Code code, const char* call, cl_int result, std::string_view what = {});

[[noreturn]] void throw_error(const char* call, cl_int result);

inline void check(cl_int result, const char* call) {
    if (result != CL_SUCCESS) {
        throw_error(call, result);
    }
}
/// The object that the call made, having thrown Error if there is none.
template <class T>
T made(T object, cl_int result, const char* call) {
    check(result, call);
    return backend::made(Backend::opencl, call, object);
}

} // namespace ferry::opencl
