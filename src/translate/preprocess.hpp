// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ferry::translate {

/// A header that needs no file: `#include <name>` and `#include "name"` find it before any directory.
struct MemoryHeader {
    std::string name;
    std::string text;
};

/// What one text may take, so that no text takes the machine. Beyond any of these is an error that names it.
struct PreprocessLimits {
    std::size_t tokens = 8'000'000;        ///< of the result, and what macros are made of and make
    std::size_t made_bytes = 64u << 20;    ///< spellings that # and ## make
    std::size_t source_bytes = 256u << 20; ///< of all files, each time one is included
    std::size_t includes = 20'000;
    std::size_t include_depth = 200;
    std::size_t call_depth = 200;      ///< macro calls in arguments of macro calls
    std::size_t condition_depth = 200; ///< parentheses and ?: within one another in #if
};

struct PreprocessOptions {
    std::string predefined;           ///< lines of #define, which the defines may replace
    std::vector<std::string> defines; ///< "NAME" (as 1), "NAME=value", "NAME(x)=value"; later ones win
    std::vector<std::string> include_directories;
    std::vector<MemoryHeader> headers;
    PreprocessLimits limits;
    bool untrusted = false; ///< headers from memory only, and no line markers; others are errors
};

/// The C99 preprocessor on one file: splices, comments, all directives, object and function macros with # and
/// ##, variadic macros (and GNU's `, ##__VA_ARGS__`), conditional expressions on 64-bit integers, include,
/// line markers. No trigraphs; digraphs become what they stand for. Predefined are __LINE__, __FILE__,
/// __COUNTER__ and what the options define, nothing else.
///
/// The result ends with a token of kind end. A `#pragma` line or a `_Pragma` stays, as one token; macros in
/// it are expanded, except behind OPENCL and STDC. `#line` changes __LINE__ and __FILE__, never a Position.
/// `#include "x"` looks for a memory header, then beside the including file, then in the directories. Bytes
/// that are not UTF-8 are accepted in comments and skipped groups only.
///
/// After an error it goes on where it can. Thread-safe: it has no state outside its arguments. Never crashes,
/// hangs or recurses without bound on any input.
std::vector<Token> preprocess(Files& files, std::uint32_t main, const PreprocessOptions& options,
                              Diagnostics& diagnostics);

} // namespace ferry::translate
