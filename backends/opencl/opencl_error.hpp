// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/plausible.hpp"
#include "opencl_api.hpp"

#include <ferry/error.hpp>

#include <string>
#include <string_view>

namespace ferry::opencl {

/// "CL_OUT_OF_RESOURCES". Empty for an unknown number.
std::string_view code_name(cl_int code) noexcept;
/// The kind of error of an OpenCL code, unless the call determines a better one.
Code portable_code(cl_int code) noexcept;

/// The message is "WHAT: CALL returned NUMBER (NAME)", or without WHAT if the front adds it. `what` is a
/// clause that starts with the object at fault.
Error vendor_error(Code code, const char* call, cl_int result, std::string_view what = {});

[[noreturn]] void throw_error(const char* call, cl_int result);

inline void check(cl_int result, const char* call) {
    if (result != CL_SUCCESS) {
        throw_error(call, result);
    }
}
/// Returns the object made by the call. Throws Error if there is none.
template <class T>
T made(T object, cl_int result, const char* call) {
    check(result, call);
    return backend::made(Backend::opencl, call, object);
}

} // namespace ferry::opencl
