// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

// The built-in functions. A row of the table describes a family of overloads; docs/design/compiler.md says
// how to add one.
namespace ferry::opencl_c {

/// One overload.
struct Signature {
    Type result;
    std::vector<Type> parameters;
};

/// Whether OpenCL C has a built-in function of that name.
bool is_builtin(std::string_view name);

/// A built-in function that depends on the calling work-item or its group.
bool is_work_item_builtin(std::string_view name);

/// Every overload that takes this many arguments. Empty if the name is unknown or takes another number.
/// `lanes`: widths worth looking at, a bit for each (1 << lanes); the others are left out.
std::vector<Signature> builtin_signatures(std::string_view name, std::size_t arguments, unsigned lanes,
                                          Types& types);

/// The numbers of arguments that the overloads of a built-in function take, in ascending order.
std::vector<std::size_t> builtin_argument_counts(std::string_view name);

/// The built-in function whose name is nearest to a misspelt one; empty if none is near.
std::string_view nearest_builtin(std::string_view name);

/// "float4": a built-in type; nothing for other names.
std::optional<Type> builtin_type(std::string_view name, Types& types);

/// convert_<type>[_sat][_rte|_rtz|_rtp|_rtn] and as_<type>.
struct ConversionName {
    Type type;
    bool reinterprets = false;
    bool saturates = false;
    std::string_view rounding; ///< "_rte"; empty if none is named
};
std::optional<ConversionName> conversion_from(std::string_view name, Types& types);

} // namespace ferry::opencl_c
