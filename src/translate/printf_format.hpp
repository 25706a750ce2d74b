// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::translate {

/// A format of OpenCL's printf as one of C++, which has no vectors. A conversion of a vector ("%v4f") becomes
/// one for each component, with commas between them; then `vectors` becomes true. The prelude's fy_printf
/// passes the components.
std::string printf_format(std::string_view format, bool& vectors);

} // namespace ferry::translate
