// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>

#include <string>
#include <string_view>

namespace ferry::driver {

// Result numbers that both vendors share and the backend handles.
namespace result {
constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int out_of_memory = 2;
constexpr int stub_library = 34;
constexpr int invalid_context = 201;
constexpr int invalid_handle = 400;
constexpr int not_found = 500;
constexpr int not_ready = 600;
constexpr int registered_already = 712;
} // namespace result

/// The kind of a number returned by either vendor. Numbers after which the context is unusable are
/// device_lost.
Code code_of(int number) noexcept;
/// Whether a wait that gave this code is proof that nothing runs any more: it succeeded, or the device is
/// lost.
bool proves_done(int number) noexcept;

/// "cuMemAlloc_v2 returned 2 (CUDA_ERROR_OUT_OF_MEMORY): out of memory".
std::string describe(const VendorCall& call, std::string_view text);

/// The error of a failed vendor call. `about` is a clause that precedes it.
Error vendor_error(VendorCall call, std::string_view text, std::string_view about);

} // namespace ferry::driver
