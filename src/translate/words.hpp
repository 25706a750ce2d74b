// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
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
/// What to do instead of what refusal() says; empty if there is nothing to say.
std::string advice(std::string_view what);
/// What the user called it whose word has become another: NAN, which is a macro, and "kernel".
std::string_view name_as_written(std::string_view text) noexcept;
/// What compilers of OpenCL C refuse, or read as a call of a macro; after words have become others.
bool is_no_kernels_name(std::string_view name);
/// The kernel hides a built-in function of that name; to some OpenCL drivers the two are overloads.
std::string advice_on_calling(std::string_view kernel);

} // namespace ferry::translate
