// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

// The built-in functions. A row of the table describes a family of overloads. docs/design/compiler.md
// describes how to add one.
namespace ferry::opencl_c {

/// One overload.
struct Signature {
    Type result;
    std::vector<Type> parameters;
};

/// Whether OpenCL C has a built-in function of that name.
bool is_builtin(std::string_view name);

/// All overloads with this number of arguments. Empty if there are none. `lanes` limits the vector widths:
/// bit 1 << n stands for width n, and other widths are omitted.
std::vector<Signature> builtin_signatures(std::string_view name, std::size_t arguments, unsigned lanes,
                                          Types& types);

/// The numbers of arguments of the overloads, in ascending order.
std::vector<std::size_t> builtin_argument_counts(std::string_view name);

/// The built-in function with the name most similar to a misspelt one. Empty if none is similar.
std::string_view nearest_builtin(std::string_view name);

/// The built-in type of a name such as "float4". No value for other names.
std::optional<Type> builtin_type(std::string_view name, Types& types);

/// Parsed name of convert_<type>[_sat][_rte|_rtz|_rtp|_rtn] or as_<type>.
struct ConversionName {
    Type type;
    bool reinterprets = false;
    bool saturates = false;
    std::string_view rounding; ///< For example "_rte". Empty if there is none.
};
std::optional<ConversionName> conversion_from(std::string_view name, Types& types);

} // namespace ferry::opencl_c
