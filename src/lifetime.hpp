// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

namespace ferry::detail {

/// Makes the end of the process clean: from the handler on, no vendor call is made. Call it after every
/// step in which a vendor library may have registered an exit handler of its own (opening it, the first
/// context), because handlers run in reverse order and Ferry's must come before the vendor's.
void register_exit_handler() noexcept;

} // namespace ferry::detail
