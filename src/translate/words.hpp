// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::translate {

/// A C++ keyword that OpenCL C allows as a name.
bool is_cpp_keyword(std::string_view name) noexcept;
/// One spelling for words with several spellings in OpenCL C: "global" is "__global".
std::string_view canonical_word(std::string_view name) noexcept;
/// A function or variable of C or of a vendor, which has no overloads and which compilers predeclare.
bool is_declared_outside(std::string_view name) noexcept;
/// The missing feature that a name belongs to ("images"). Empty if the portable language has the name.
std::string_view refusal(std::string_view name) noexcept;
/// The alternative to the feature in refusal(). Empty if there is none.
std::string advice(std::string_view what);
/// Names that OpenCL C compilers reject for kernels, or read as a macro call.
bool is_no_kernels_name(std::string_view name);
/// Whether the word, in its canonical form, may stand before the name of a kernel.
bool may_precede_kernel(std::string_view word) noexcept;

} // namespace ferry::translate
