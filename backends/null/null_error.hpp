// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>

#include <cstdint>
#include <string_view>

namespace ferry::null {

/// The error of a failed vendor call. `what` is a clause that starts with the object at fault.
Error vendor_error(Code code, const char* call, std::int64_t result, std::string_view what);

/// The error of a feature that the vendor does not have. `what` is a subject: "A fill".
Error refusal(std::string_view what);

} // namespace ferry::null
