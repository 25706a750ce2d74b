// SPDX-License-Identifier: Apache-2.0
#include <ferry/abi.hpp>
#include <ferry/version.hpp>

#define FERRY_TEXT_OF(x) #x
#define FERRY_TEXT(x) FERRY_TEXT_OF(x)

namespace ferry {

void detail::FERRY_STANDARD_LIBRARY() noexcept {}

const char* version() noexcept {
    return FERRY_TEXT(FERRY_VERSION_MAJOR) "." FERRY_TEXT(FERRY_VERSION_MINOR) "." FERRY_TEXT(
        FERRY_VERSION_PATCH);
}

} // namespace ferry
