// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/plausible.hpp"
#include "vulkan_types.hpp"

#include <ferry/error.hpp>

#include <string>
#include <string_view>

namespace ferry::vulkan {

/// "VK_ERROR_DEVICE_LOST". Empty for an unknown number.
std::string_view code_name(Result code) noexcept;
/// The kind of error of a Vulkan code.
Code portable_code(Result code) noexcept;
/// "vkCreateInstance returned -9 (VK_ERROR_INCOMPATIBLE_DRIVER)"
std::string call_text(const char* call, Result code);

/// `what`: a clause that starts with the object at fault, or empty if the front adds it.
Error vendor_error(Code code, const char* call, Result result, std::string_view what = {});

/// Throws Error for a negative result. Positive ones are no errors.
inline void check(Result result, const char* call) {
    if (result < 0) [[unlikely]] {
        throw vendor_error(portable_code(result), call, result);
    }
}

template <class T>
T made(const char* call, T handle) {
    return backend::made(Backend::vulkan, call, handle);
}

} // namespace ferry::vulkan
