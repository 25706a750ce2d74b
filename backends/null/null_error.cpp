// SPDX-License-Identifier: Apache-2.0
#include "null_error.hpp"

#include "null_backend.hpp"

#include <string>

namespace ferry::null {

Error vendor_error(Code code, const char* call, std::int64_t result, std::string_view what) {
    std::string text(what);
    text += (text.empty() ? "" : ": ") + std::string(call) + " returned " + std::to_string(result);
    return {code, std::move(text), VendorCall{this_backend, call, result, {}}};
}

Error refusal(std::string_view what) {
    return {Code::unsupported,
            std::string(what) + " is not supported by the null backend, which has no hardware"};
}

} // namespace ferry::null
