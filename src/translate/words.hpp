// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ferry::translate {

/// A C++ keyword that OpenCL C leaves free for names.
bool is_cpp_keyword(std::string_view name) noexcept;
/// One spelling for the words that OpenCL C lets one spell in several ways: "global" is "__global".
std::string_view canonical_word(std::string_view name) noexcept;
/// A function or variable of C's or a vendor's, which has no overloads and which compilers declare of
/// themselves.
bool is_declared_outside(std::string_view name) noexcept;
/// What a name belongs to that the portable language does not have ("images"); empty if it is none.
std::string_view refusal(std::string_view name) noexcept;

} // namespace ferry::translate
