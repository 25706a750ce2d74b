// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <string>
#include <vector>

namespace ferry::translate {

/// A header that needs no file: `#include <name>` and `#include "name"` find it before any directory.
struct MemoryHeader {
    std::string name;
    std::string text;
};

struct PreprocessOptions {
    std::vector<std::string> defines; ///< "NAME" (as 1), "NAME=value", "NAME(x)=value"; later ones win
    std::vector<std::string> include_directories;
    std::vector<MemoryHeader> headers;
};

/// The C99 preprocessor on one file: splices, comments, all directives, object and function macros with # and
/// ##, variadic macros, conditional expressions on 64-bit integers, include, line markers. The result ends
/// with a token of kind end. `#pragma` lines stay, as one token each. After an error it goes on where it
/// can. Thread-safe: it has no state outside its arguments. Never crashes, hangs or recurses without bound on
/// any input: include depth, macro expansion and the number of tokens are limited, and the limit is named in
/// the error.
std::vector<Token> preprocess(Files& files, std::uint32_t main, const PreprocessOptions& options,
                              Diagnostics& diagnostics);

} // namespace ferry::translate
