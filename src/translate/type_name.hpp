// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/argument.hpp>

#include <cstddef>
#include <string_view>

namespace ferry::detail {

/// A type from its name in OpenCL C. `other` and 0 for types that are not built in.
struct NamedType {
    ScalarType scalar = ScalarType::other;    ///< `other` for a vector.
    std::size_t bytes = 0;                    ///< Of a value of it.
    ScalarType component = ScalarType::other; ///< Its element type.
};
NamedType parse_type(std::string_view name);

} // namespace ferry::detail
