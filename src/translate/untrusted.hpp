// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "preprocess.hpp"

#include <string>

namespace ferry::translate {

/// The text with its macros expanded, its conditions evaluated and its headers from memory inserted. A
/// compiler finds no directive in it except pragmas that the portable kernel language implements, and
/// `#pragma OPENCL EXTENSION`. Lines keep their numbers as far as headers allow it. Throws Error
/// (build_failed), with the places in its log, for a construct that an untrusted text may not use: a file in
/// #include, a line marker, inline assembly, and pragmas and attributes that annotations.hpp rejects.
std::string expand_untrusted(const std::string& name, const std::string& text, PreprocessOptions options);

} // namespace ferry::translate
