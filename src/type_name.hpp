// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/argument.hpp>

#include <cstddef>
#include <string_view>

namespace ferry::detail {

/// A type's name as OpenCL C spells it. Other and 0 for what is not built in.
struct NamedType {
    ScalarType scalar = ScalarType::other;    ///< other for a vector
    std::size_t bytes = 0;                    ///< of a value of it
    ScalarType component = ScalarType::other; ///< what it, or a vector, is made of
};
NamedType parse_type(std::string_view name);

} // namespace ferry::detail
