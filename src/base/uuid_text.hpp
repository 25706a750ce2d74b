// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace ferry::detail {

/// "01234567-89ab-cdef-0123-456789abcdef", in lower case. Empty if all bytes are zero: the driver has none.
std::string uuid_text(std::span<const unsigned char, 16> bytes);

} // namespace ferry::detail
