// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check.hpp"

#include <string>
#include <string_view>

namespace ferry::opencl_c {

/// The text with its macros expanded, its conditions evaluated and its headers from memory inserted. Names
/// that drivers define as macros stay, except those in `options.preprocess`. A compiler finds no directive in
/// it except pragmas that the portable kernel language implements, and `#pragma OPENCL EXTENSION`. Attributes
/// without effect are left out. Lines keep their numbers as far as headers allow it. Throws Error
/// (build_failed), with the places in its log, if check() has an error, and for a construct that an untrusted
/// text may not use: a file in #include, a line marker, `#`, and the two question marks of trigraphs.
std::string expand_untrusted(std::string_view text, const Options& options);

} // namespace ferry::opencl_c
