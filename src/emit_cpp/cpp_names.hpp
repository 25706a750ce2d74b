// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ferry::emit_cpp {

/// A C++ keyword that OpenCL C allows as a name.
bool is_cpp_keyword(std::string_view name) noexcept;
/// A function or variable of C or of a vendor, which has no overloads and which compilers predeclare.
bool is_declared_outside(std::string_view name) noexcept;

} // namespace ferry::emit_cpp
