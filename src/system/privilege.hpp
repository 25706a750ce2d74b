// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/auxv.h>

namespace ferry::detail {

/// Whether this program has more rights than the user that started it: set-user-id, set-group-id or file
/// capabilities. That user's environment must not decide which code runs.
inline bool is_privileged() noexcept {
    return ::getauxval(AT_SECURE) != 0;
}

} // namespace ferry::detail
